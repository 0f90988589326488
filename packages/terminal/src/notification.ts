import type { Holdfast, WireEvent } from "@holdfast/sdk";
import { awayAfter, mayNotify, noticeKind, noticeWords } from "@holdfast/model/notice-words.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { oneLine } from "./screen/text.ts";

/** The parts of the terminal client that notifications use. */
export interface NotifyingClient {
  readonly holdfast: Pick<Holdfast, "session"> | null;
  readonly view: { readonly handle: { readonly sessionId: string } } | null;
  /** Open requests on the screen, of the session and of its sub-agents. */
  readonly asks: readonly { readonly sessionId: string }[];
  readonly isClosed: boolean;
  readonly options: { readonly output: { write(text: string): void } };
}

export interface NotifierClock {
  /** Returns the time of a monotonic clock in milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
}

const usualClock: NotifierClock = {
  now: () => performance.now(),
  sleep: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
};

/**
 * Notifies the person about events while the person does not look at the terminal. While the person looks, reports to
 * the server which events the person has seen, so that other devices do not notify about them.
 */
export class Notifier {
  readonly #client: NotifyingClient;
  readonly #clock: NotifierClock;
  #isFocused = true;
  #lastInput: number;

  constructor(client: NotifyingClient, clock: NotifierClock = usualClock) {
    this.#client = client;
    this.#clock = clock;
    this.#lastInput = clock.now();
  }

  /** Whether the person looks at the terminal: the window has the focus, and a key was pressed in the last minute. */
  get isLooking(): boolean {
    return this.#isFocused && this.#clock.now() - this.#lastInput < awayAfter;
  }

  noteKey(): void {
    const wasLooking = this.isLooking;
    this.#lastInput = this.#clock.now();
    if (!wasLooking) this.markShown();
  }

  /** Notes that the window got or lost the focus. Getting the focus counts as a key, because a person moves the focus. */
  setFocus(isFocused: boolean): void {
    this.#isFocused = isFocused;
    if (!isFocused) return;
    this.#lastInput = this.#clock.now();
    this.markShown();
  }

  /** Marks all events of the open session, and of sub-agents whose requests are on the screen, as seen. */
  markShown(): void {
    const { view, asks } = this.#client;
    if (view === null) return;
    const ids = [view.handle.sessionId, ...asks.map(({ sessionId }) => sessionId)];
    for (const sessionId of new Set(ids)) this.markSeen(sessionId);
  }

  /** Marks all events of a session as seen if the person looks at the terminal. */
  markSeen(sessionId: string): void {
    if (!this.isLooking) return;
    // MAX_SAFE_INTEGER stands for the last event of the session. If the request fails, the only effect is a notification
    // on another device, so ignore the error.
    const session = this.#client.holdfast?.session(sessionId);
    void session?.markSeen(Number.MAX_SAFE_INTEGER, { patience: 0 }).catch(ignore);
  }

  /**
   * Notifies the person about an event if the person does not look at the terminal and the server agrees. The server
   * does not agree if the event was seen on another device, if the session is muted, or in quiet hours.
   */
  async announce(event: WireEvent): Promise<void> {
    const client = this.#client;
    const session = client.holdfast?.session(event.sessionId);
    if (!mayNotify(event) || session === undefined) return;
    if (this.isLooking) {
      this.markSeen(event.sessionId);
      return;
    }
    const kind = await noticeKind({
      ask: async () => (client.isClosed ? null : session.notice(event.seq).catch(ignore)),
      sleep: (milliseconds) => this.#clock.sleep(milliseconds),
    });
    if (kind === null || client.isClosed || this.isLooking) return;
    const question = event.type === "ask.opened" ? (event.content?.question ?? null) : null;
    const words = noticeWords.en[kind];
    client.options.output.write(bell(question === null ? words : `${words}: ${question}`));
  }
}

/** Ignores an error: if the server does not answer, the user gets no desktop notification. */
function ignore(): null {
  return null;
}

/** Returns the control sequences of the bell and of a desktop notification in two forms (OSC 9 and 777). */
function bell(text: string): string {
  const title = oneLine(text).replaceAll(";", ",");
  return `\u0007\u001b]9;${title}\u0007\u001b]777;notify;Holdfast;${title}\u0007`;
}
