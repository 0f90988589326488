import { createLetters, createMarkdown } from "./markdown.ts";
import type { TextStream } from "./markdown.ts";
import { printable } from "./printable.ts";
import { hasColours } from "./style.ts";

/** Writes an answer's text to stdout and everything about it to stderr, never both on one line. */
export interface Lines {
  /** A piece of running text. */
  readonly text: (piece: string) => void;
  /** A line of its own about what is going on; not shown to those who want only the answer. */
  readonly note: (line: string) => void;
  /** A line that everybody must see: a question, a refusal, an error. */
  readonly say: (line: string) => void;
  /** The beginning of a line that a person ends at the keyboard. */
  readonly question: (text: string) => void;
  /** Nobody needs to end the line any more. */
  readonly withdrawn: () => void;
  /** The person has ended the line. */
  readonly answered: () => void;
  /** Ends a line of running text that is still open. */
  readonly endText: () => void;
  /** What is being waited for, shown on a terminal for as long as nothing else is written. */
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
  /** Something comes between: the text goes on after it. */
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
    // What is asked stays the last line: it is where the person types.
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

/** An answer as stdout may have it: as it is, unless a person reads it there. */
export function createTextStream(): TextStream {
  if (process.stdout.isTTY && hasColours()) return createMarkdown();
  const letters = createLetters();
  if (!process.stdout.isTTY) return letters;
  return {
    take: (piece) => printable(letters.take(piece)),
    flush: () => printable(letters.flush()),
  };
}

/** Draws only where a person watches: not into files, logs of builds, or dumb terminals. */
function createSpinner(mayDraw: () => boolean): {
  show(what: string | null): void;
  erase(): void;
} {
  const { CI = "", NO_COLOR = "", TERM = "" } = process.env;
  const isWatched = process.stderr.isTTY && CI === "" && NO_COLOR === "" && TERM !== "dumb";
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

/** Shows at a terminal what is being waited for: a server that is slow to start takes its time. */
export async function patiently<Value>(what: string, work: Promise<Value>): Promise<Value> {
  const lines = createLines({ answers: true, notes: true });
  lines.waiting(what);
  try {
    return await work;
  } finally {
    lines.close();
  }
}
