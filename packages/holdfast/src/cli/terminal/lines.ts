import { createLetters, createMarkdown } from "./markdown.ts";
import type { TextStream } from "./markdown.ts";
import { printable } from "./printable.ts";
import { hasColours } from "./style.ts";
import { readFlag } from "./terminal-settings.ts";

/** Writes answers to stdout and everything else to stderr, never both on one line. */
export interface Lines {
  /** Writes a piece of streaming text. */
  readonly text: (piece: string) => void;
  /** Writes a progress line, which is hidden if only the answer is wanted. */
  readonly note: (line: string) => void;
  /** Writes a line that is never hidden: a question, a refusal, an error. */
  readonly say: (line: string) => void;
  /** Writes a question, which the user answers on the same line. */
  readonly question: (text: string) => void;
  /** Call when the user no longer needs to answer the question. */
  readonly withdrawn: () => void;
  /** Call when the user has answered the question. */
  readonly answered: () => void;
  /** Ends the current line of streaming text. */
  readonly endText: () => void;
  /** Shows a spinner with this text on a terminal until something else is written. */
  readonly waiting: (what: string | null) => void;
  readonly close: () => void;
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".split("");

export function createLines(options: { answers: boolean; notes: boolean }): Lines {
  let open = false;
  let asking: string | null = null;
  let stream = createTextStream();
  const write = (text: string): void => {
    if (text === "") return;
    spinner.erase();
    process.stdout.write(text);
    open = !text.endsWith("\n");
  };
  /** Interrupts the streaming text for other output. The text continues after that output. */
  const breakText = (): void => {
    write(stream.flush());
    if (open) process.stdout.write("\n");
    open = false;
  };
  const spinner = createSpinner(() => !open && asking === null);
  const endText = (): void => {
    breakText();
    stream = createTextStream();
  };
  const say = (line: string): void => {
    spinner.erase();
    breakText();
    // Print the line above the question, because the user types after the question.
    process.stderr.write(asking === null ? `${line}\n` : `\n${line}\n${asking}`);
  };
  return {
    text: (piece) => {
      if (options.answers) write(stream.take(piece));
    },
    note: (line) => {
      if (options.notes) say(line);
    },
    say,
    question: (text) => {
      spinner.erase();
      breakText();
      asking = text;
      process.stderr.write(text);
    },
    answered: () => {
      asking = null;
    },
    withdrawn: () => {
      if (asking !== null) process.stderr.write("\n");
      asking = null;
    },
    endText,
    waiting: (what) => {
      if (options.notes) spinner.show(what);
    },
    close: () => {
      spinner.show(null);
      endText();
    },
  };
}

/**
 * Creates a stream for stdout. If stdout is a terminal, the stream formats Markdown or replaces control characters.
 * Otherwise it does not change the text.
 */
export function createTextStream(): TextStream {
  if (process.stdout.isTTY && hasColours()) return createMarkdown();
  const letters = createLetters();
  if (!process.stdout.isTTY) return letters;
  return {
    take: (piece) => printable(letters.take(piece)),
    flush: () => printable(letters.flush()),
  };
}

/** Draws only on a terminal that a person watches: not in files, CI logs, dumb terminals or for screen readers. */
function createSpinner(mayDraw: () => boolean): {
  show(what: string | null): void;
  erase(): void;
} {
  const { CI = "", NO_COLOR = "", TERM = "", HOLDFAST_SCREEN_READER } = process.env;
  const isDrawn = CI === "" && NO_COLOR === "" && TERM !== "dumb";
  const isWatched = process.stderr.isTTY && isDrawn && readFlag(HOLDFAST_SCREEN_READER) !== true;
  let timer: NodeJS.Timeout | null = null;
  let drawn = false;
  let since = 0;
  let text = "";
  const erase = (): void => {
    if (drawn) process.stderr.write("\r\u001B[K");
    drawn = false;
  };
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - since) / 1_000);
    if (!mayDraw() || performance.now() - since < 300) return;
    const frame = frames[Math.floor(performance.now() / 100) % frames.length] ?? "";
    drawn = true;
    const time = seconds === 0 ? "" : ` ${seconds} s`;
    process.stderr.write(`\r\u001B[K${frame} ${text}${time}`);
  };
  return {
    erase,
    show: (what) => {
      if (!isWatched || (what ?? "") === text) return;
      text = what ?? "";
      since = performance.now();
      if (what === null) {
        if (timer !== null) clearInterval(timer);
        timer = null;
        erase();
      } else timer ??= setInterval(draw, 100).unref();
    },
  };
}

/** Shows a spinner at a terminal until the promise settles, because a server may be slow to start. */
export async function patiently<Value>(what: string, work: Promise<Value>): Promise<Value> {
  const lines = createLines({ answers: true, notes: true });
  lines.waiting(what);
  try {
    return await work;
  } finally {
    lines.close();
  }
}
