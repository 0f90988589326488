import { spawn } from "@lydell/node-pty";
import type { IPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { program } from "../../../holdfast/test/support/program.ts";

/** Environment variables that must not reach the client. */
const hidden =
  /^(ANTHROPIC|OPENAI|GEMINI|GOOGLE|OPENROUTER|OLLAMA|HOLDFAST)_|^(NO_COLOR|FORCE_COLOR|TMUX|SSH_.*|CI)$/;

/** A program at a real terminal of which a test sees the screen. */
export interface Pty {
  /** Types text as a person does, key by key for control sequences. */
  type(text: string): void;
  /** Pastes text as terminals do. */
  paste(text: string): void;
  /** The visible rows. */
  screen(): string;
  /** All rows with the scrollback. Rows that the terminal wrapped are joined. */
  all(): string;
  /** Everything that the program wrote. */
  raw(): string;
  /** Resolves when the visible rows match. */
  shows(pattern: string | RegExp, what?: string): Promise<void>;
  /** Resolves when the screen with the scrollback matches. */
  contains(pattern: string | RegExp): Promise<void>;
  /** Resolves when the visible rows do not match any more. */
  hides(pattern: string | RegExp): Promise<void>;
  /** Resolves when the condition holds. */
  until(what: string, isDone: () => boolean): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  readonly pid: number;
  /** The exit code. */
  readonly ended: Promise<number>;
  close(): Promise<void>;
}

export const keys = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  altUp: "\u001b[1;3A",
  shiftUp: "\u001b[1;2A",
  shiftDown: "\u001b[1;2B",
  shiftTab: "\u001b[Z",
  tab: "\t",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlJ: "\n",
  ctrlL: "\u000c",
  ctrlO: "\u000f",
  ctrlR: "\u0012",
  ctrlS: "\u0013",
  altEnter: "\u001b\r",
} as const;

/** Milliseconds that a screen has to change, unless an option names another time. */
const usualPatience = 20_000;

export interface PtyOptions {
  readonly folder: string;
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Milliseconds that a screen has to change. */
  readonly patience?: number;
  /** Runs this shell command instead of the program alone; `$HOLDFAST` starts the program. */
  readonly shell?: string;
}

export function openPty(options: PtyOptions): Pty {
  const { folder, words = [], environment = {}, columns = 80, rows = 24, shell } = options;
  const kept = Object.entries(process.env).filter(([name]) => !hidden.test(name));
  const env = {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])),
    TERM: "xterm-256color",
    XDG_DATA_HOME: `${folder}/data`,
    XDG_CONFIG_HOME: `${folder}/config`,
    HOME: folder,
    HOLDFAST: `'${process.execPath}' '${program}'`,
    ...environment,
  };
  const [file, args] =
    shell === undefined ? [process.execPath, [program, ...words]] : ["/bin/sh", ["-c", shell]];
  const child = spawn(file, args, {
    cols: columns,
    rows,
    cwd: folder,
    env,
    name: "xterm-256color",
  });
  return watch(child, { columns, rows, patience: options.patience ?? usualPatience });
}

function watch(child: IPty, size: { columns: number; rows: number; patience: number }): Pty {
  const { patience } = size;
  const terminal = new xterm.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 20_000,
    allowProposedApi: true,
  });
  let raw = "";
  const listeners = new Set<() => void>();
  const ring = (): void => {
    for (const listener of listeners) listener();
  };
  child.onData((text) => {
    raw += text;
    terminal.write(text, ring);
  });
  // The terminal answers questions of the program, such as its device attributes.
  terminal.onData((answer) => child.write(answer));
  let isOver = false;
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      isOver = true;
      terminal.write("", () => {
        ring();
        resolve(exitCode);
      });
    });
  });
  const lines = (from: number, to: number): string => {
    const { active } = terminal.buffer;
    const found: string[] = [];
    for (let row = from; row < to; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? "";
      // The first row may continue a line that begins above.
      if (line?.isWrapped === true && found.length > 0) found[found.length - 1] += text;
      else found.push(text);
    }
    return found.join("\n").trimEnd();
  };
  const screen = (): string => {
    const { baseY } = terminal.buffer.active;
    return lines(baseY, baseY + terminal.rows);
  };
  const all = (): string => lines(0, terminal.buffer.active.length);
  const until = (what: string, isDone: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        listeners.delete(look);
      };
      const look = (): void => {
        if (isDone()) {
          stop();
          resolve();
        } else if (isOver) {
          stop();
          reject(new Error(`the program ended without ${what}:\n${all()}`));
        }
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${what} did not come within ${patience} ms:\n${all()}`));
      }, patience);
      listeners.add(look);
      look();
    });
  return {
    type: (text) => child.write(text),
    paste: (text) => child.write(`\u001b[200~${text}\u001b[201~`),
    screen,
    all,
    raw: () => raw,
    shows: (pattern, what = `the screen with ${pattern}`) =>
      until(what, () => matches(screen(), pattern)),
    contains: (pattern) => until(`the scrollback with ${pattern}`, () => matches(all(), pattern)),
    hides: (pattern) => until(`the screen without ${pattern}`, () => !matches(screen(), pattern)),
    until,
    resize: async (columns, rows) => {
      terminal.resize(columns, rows);
      child.resize(columns, rows);
    },
    pid: child.pid,
    ended,
    close: async () => {
      if (!isOver) process.kill(child.pid, "SIGKILL");
      await ended;
      terminal.dispose();
    },
  };
}

function matches(text: string, pattern: string | RegExp): boolean {
  return typeof pattern === "string" ? text.includes(pattern) : pattern.test(text);
}
