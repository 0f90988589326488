import { openSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream } from "node:tty";
import type { Lines } from "./lines.ts";

/** Where a person can be asked: at stdin, or past a stdin that brings the prompt. */
export function terminalInput(): ReadStream | null {
  if (!process.stderr.isTTY) return null;
  if (process.stdin.isTTY) return process.stdin;
  controlling ??= openControlling();
  return controlling;
}

let controlling: ReadStream | null = null;

function openControlling(): ReadStream | null {
  try {
    const stream = new ReadStream(openSync("/dev/tty", "r"));
    stream.unref();
    return stream;
  } catch {
    return null;
  }
}

/** `takenBack`: somebody else has answered, or nobody needs to. `gone`: the input has ended. */
export type Unanswered = "takenBack" | "gone";

/** Asks until a line can be read as an answer. */
export function askPerson<Answer>(
  lines: Lines,
  question: {
    prompt: string;
    signal: AbortSignal;
    input: ReadStream | null;
    read: (line: string) => Answer | null;
  },
): Promise<Answer | Unanswered> {
  const { prompt, signal, read } = question;
  if (question.input === null) return Promise.resolve("gone");
  // Not in raw mode: Ctrl-C stays a signal, and works as at any other time.
  const input = createInterface({ input: question.input, terminal: false });
  const answered = new AbortController();
  return new Promise<Answer | Unanswered>((resolve) => {
    signal.addEventListener("abort", () => resolve("takenBack"), { signal: answered.signal });
    input.on("close", () => resolve("gone"));
    input.on("line", (line) => {
      lines.answered();
      const answer = read(line);
      if (answer === null) lines.question(prompt);
      else resolve(answer);
    });
    lines.question(prompt);
  }).finally(() => {
    lines.withdrawn();
    answered.abort();
    input.close();
  });
}
