import { openSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream } from "node:tty";
import type { Lines } from "./lines.ts";
import { CliError } from "../cli-error.ts";
import { createLines } from "./lines.ts";
import { readYesOrNo } from "./question.ts";

/** Returns the terminal as input: stdin, or /dev/tty if stdin is the prompt. Null if there is no terminal. */
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

/**
 * `takenBack`: another client answered the question, or the answer is no longer needed. `gone`: the input has ended.
 */
export type Unanswered = "takenBack" | "gone";

/** Asks until a line is a valid answer. */
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
  // Do not use raw mode, so that Ctrl-C still sends a signal.
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

/** Asks for confirmation at the terminal; throws if the process has no terminal. */
export async function confirm(question: string): Promise<boolean> {
  const input = terminalInput();
  if (input === null) {
    const advice = "use --yes to confirm in advance";
    throw new CliError("notConfirmed", `there is no terminal to ask for confirmation; ${advice}`);
  }
  const lines = createLines({ answers: true, notes: true });
  const { signal } = new AbortController();
  const prompt = `${question} y or n: `;
  const answer = await askPerson(lines, { prompt, signal, input, read: readYesOrNo });
  const isYes = typeof answer === "object" && answer.verdict === "allow";
  if (!isYes) console.log("Nothing was changed.");
  return isYes;
}
