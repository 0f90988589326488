import { readSubstitution } from "./substitution.ts";
import { readWord } from "./read-word.ts";
import { giveUp, note } from "./reader.ts";
import type { OpenCommand, Reader } from "./reader.ts";

const operators = /<<<|<<-|<<|<>|<&|<|>>|>&|>\||>/y;

/** Discards output, joins errors with output, or reads nothing: harmless, and common. */
const harmless = /^(?:[12]?>&[12]|[12]?>{1,2}\/dev\/null|<\/dev\/null)$/;

/** Reads a redirection, after the number of its file descriptor. */
export function readRedirection(reader: Reader, command: OpenCommand, descriptor: string): void {
  const { text } = reader;
  const next = text.slice(reader.at, reader.at + 2);
  if (descriptor === "" && (next === "<(" || next === ">(")) {
    note(reader, `\`${next}\` runs a command`);
    reader.at += 1;
    readSubstitution(reader);
    command.words.push({ value: next, kind: "open" });
    return;
  }
  operators.lastIndex = reader.at;
  const [operator = ""] = operators.exec(text) ?? [];
  if (operator.startsWith("<<")) giveUp(`\`${operator}\` holds input for the command`);
  reader.at += operator.length;
  while (text[reader.at] === " " || text[reader.at] === "\t") reader.at += 1;
  const start = reader.at;
  const { kind, value } = readWord(reader);
  if (reader.at === start) giveUp(`\`${operator}\` names no file`);
  // `>&1>x`: some shells take the 1 for the number of the next redirection.
  if (/[<>]/.test(text[reader.at] ?? "")) giveUp("two redirections have no blank between them");
  command.hasMore = true;
  const source = text.slice(start, reader.at);
  const isPlain = kind === "literal" && value === source;
  if (isPlain && harmless.test(descriptor + operator + source)) return;
  const doing = operator.startsWith("<") ? "reads from" : "writes to";
  note(reader, `\`${operator}\` ${doing} a file`);
}
