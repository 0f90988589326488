import { createReader, giveUp, note } from "./reader.ts";
import type { Reader } from "./reader.ts";

/** Groups and substitutions are read this deep. */
const maxDepth = 20;

/** Reads `( … )`, from the opening parenthesis on. */
export function readSubstitution(reader: Reader): void {
  reader.at += 1;
  reader.depth += 1;
  if (reader.depth > maxDepth) giveUp("too many groups are nested");
  reader.readList(reader, ")");
  reader.depth -= 1;
  reader.at += 1;
}

/** Reads a substitution in backticks. An escape in it would need a second reading. */
export function readBackticks(reader: Reader): void {
  note(reader, "a backtick runs a command and uses its output");
  const end = reader.text.indexOf("`", reader.at + 1);
  if (end === -1) giveUp("a backtick is not closed");
  const text = reader.text.slice(reader.at + 1, end);
  if (text.includes("\\")) giveUp("a backslash stands between backticks");
  const inner = createReader(text, reader.readList);
  inner.readList(inner, null);
  reader.commands.push(...inner.commands);
  reader.at = end + 1;
}
