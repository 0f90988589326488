import { setKittyProtocolActive } from "@earendil-works/pi-tui/dist/keys.js";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";

/** The part of a terminal's input stream that the keyboard uses. */
export interface Input {
  readonly isRaw?: boolean;
  setRawMode(isRaw: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  on(event: "end" | "error", listener: () => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
  off(event: "end" | "error", listener: () => void): unknown;
}

export interface KeyboardEvents {
  /** Called with one key as the terminal sends it, or with a whole paste including its start and end marks. */
  readonly onKey: (data: string) => void;
  /** Called when the terminal window gets or loses the focus. */
  readonly onFocus: (isFocused: boolean) => void;
  /** Called when the terminal has been closed. */
  readonly onGone: () => void;
}

/**
 * Turns on bracketed paste, focus reports, and the Kitty keyboard protocol, which distinguishes Shift-Enter from
 * Enter. Terminals ignore sequences that they do not support.
 */
const begin = "\u001b[?2004h\u001b[?1004h\u001b[>1u\u001b[?u\u001b[c";
const end = "\u001b[<u\u001b[>4;0m\u001b[?1004l\u001b[?2004l";

/**
 * Matches reports that the terminal sends: flags of the Kitty protocol, attributes of the terminal, or a focus change.
 */
// oxlint-disable-next-line no-control-regex -- answers begin with a control character
const reports = /^\u001b\[(?:\?(\d+)u|\?[\d;]*(c)|([IO]))$/;

/** Reads keys in raw mode. `close` restores the terminal. */
export class Keyboard {
  readonly #input: Input;
  readonly #write: (text: string) => void;
  readonly #events: KeyboardEvents;
  readonly #buffer: StdinBuffer;
  #hasKitty = false;
  #isOpen = false;
  #isNew = true;

  constructor(options: {
    input: Input;
    write: (text: string) => void;
    environment: NodeJS.ProcessEnv;
    events: KeyboardEvents;
  }) {
    this.#input = options.input;
    this.#write = options.write;
    this.#events = options.events;
    const { SSH_CONNECTION, TMUX } = options.environment;
    const isSlow = SSH_CONNECTION !== undefined || TMUX !== undefined;
    this.#buffer = new StdinBuffer({ timeout: 100, escapeTimeout: isSlow ? 100 : 50 });
    this.#buffer.on("data", (sequence: string) => this.#take(sequence));
    this.#buffer.on("paste", (text: string) =>
      options.events.onKey(`${pasteBegin}${text}${pasteEnd}`),
    );
  }

  /** Receives input. Text that was typed before raw mode was on comes in one piece, with a line break for each Enter key. */
  readonly #onData = (text: string): void => {
    const early = this.#isNew ? text.split("\u001b", 1).join("") : "";
    this.#isNew = false;
    const typed = early.length > 1 ? early.replaceAll("\n", "\r") : early;
    this.#buffer.process(typed + text.slice(early.length));
  };

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#isNew = true;
    this.#input.setRawMode(true);
    this.#input.setEncoding("utf8");
    this.#input.on("data", this.#onData);
    this.#input.on("end", this.#events.onGone);
    this.#input.on("error", this.#events.onGone);
    this.#input.resume();
    this.#write(begin);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#write(end);
    setKittyProtocolActive(false);
    this.#hasKitty = false;
    this.#input.off("data", this.#onData);
    this.#input.off("end", this.#events.onGone);
    this.#input.off("error", this.#events.onGone);
    this.#buffer.clear();
    this.#input.pause();
    this.#input.setRawMode(false);
  }

  #take(sequence: string): void {
    const report = reports.exec(sequence);
    if (report === null) return this.#events.onKey(sequence);
    const [, kittyFlags, attributes, focus] = report;
    if (focus !== undefined) return this.#events.onFocus(focus === "I");
    if (kittyFlags !== undefined && kittyFlags !== "0") {
      this.#hasKitty = true;
      setKittyProtocolActive(true);
    }
    // A terminal without the Kitty protocol reports only its attributes. Turn on xterm's older protocol for it.
    if (attributes !== undefined && !this.#hasKitty) this.#write("\u001b[>4;1m");
  }
}

const pasteBegin = "\u001b[200~";
const pasteEnd = "\u001b[201~";

/** Returns the pasted text; null if the input is not a paste. */
export function pastedText(data: string): string | null {
  return data.startsWith(pasteBegin) ? data.slice(pasteBegin.length, -pasteEnd.length) : null;
}
