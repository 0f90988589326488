import { createLines } from "./lines.ts";
import { askPerson, terminalInput } from "./person.ts";
import { onStderr } from "./style.ts";

/** Lets a person choose one of the rows; null if there is no terminal or no choice was made. */
export async function pick<Value>(
  question: string,
  rows: readonly { readonly value: Value; readonly text: string }[],
): Promise<Value | null> {
  const input = terminalInput();
  if (input === null) return null;
  const lines = createLines({ answers: true, notes: true });
  for (const [index, { text }] of rows.entries()) {
    lines.say(`${onStderr("bold", String(index + 1).padStart(3))}  ${text}`);
  }
  const { signal } = new AbortController();
  const read = (line: string): { value: Value } | "none" | null => {
    const word = line.trim().toLowerCase();
    if (word === "q" || word === "n") return "none";
    const row = rows[word === "" ? 0 : Number(word) - 1];
    return row === undefined ? null : { value: row.value };
  };
  const prompt = `${question} (1 to ${rows.length}, Enter for 1, q to quit): `;
  const answer = await askPerson(lines, { prompt, signal, input, read });
  return typeof answer === "object" ? answer.value : null;
}
