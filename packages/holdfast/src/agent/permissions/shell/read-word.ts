import type { Word } from "./command-line.ts";
import { createReader, endsWord, giveUp, note } from "./reader.ts";
import type { Reader } from "./reader.ts";

interface Piece {
  value: string;
  /** Length of the value before the first wildcard. Null if there is no wildcard. */
  glob: number | null;
  isOpen: boolean;
}

/** Characters without a special meaning outside of quotes, in every shell and at every position. */
const plain = /[A-Za-z0-9_./:,=@%+^\]-]/;
/** Braces that no shell expands: `{}` (used by find), `HEAD@{1}`. */
const plainBraces = /\{[\w-]*\}/y;
/** Control characters, which shells treat differently. */
const control = /(?![\t\n])\p{Cc}/u;

/** Reads one word, up to the next white space or operator outside of quotes. */
export function readWord(reader: Reader): Word {
  const { text } = reader;
  const start = reader.at;
  const piece: Piece = { value: "", glob: null, isOpen: false };
  for (let next = text[start] ?? ""; !endsWord(next); next = text[reader.at] ?? "") {
    readPiece(reader, { piece, start, next });
  }
  const { value, glob, isOpen } = piece;
  if (isOpen) return { value: text.slice(start, reader.at), kind: "open" };
  // `[` alone is a command name.
  if (glob === null || value === "[") return { value, kind: "literal" };
  return { value: value.slice(0, glob), kind: "glob" };
}

function readPiece(
  reader: Reader,
  { piece, start, next }: { piece: Piece; start: number; next: string },
): void {
  const { text } = reader;
  const before = reader.at === start ? "" : (text[reader.at - 1] ?? "");
  if (next === "'") readSingleQuotes(reader, piece);
  else if (next === '"') readDoubleQuotes(reader, piece);
  else if (next === "\\") readEscape(reader, piece);
  else if (next === "$") readDollar(reader, piece);
  else if (next === "`") {
    readBackticks(reader);
    piece.isOpen = true;
  } else if (next === "{" || next === "}") {
    readBrace(reader, piece);
  } else if ("*?[".includes(next)) {
    piece.glob ??= piece.value.length;
    take(reader, piece);
  } else {
    if (next === "~" && !/[\w./^-]/.test(before)) {
      note(reader, "`~` is a home folder that only the shell knows");
      piece.isOpen = true;
    } else if (control.test(next)) {
      giveUp("the command has a control character");
    } else if (!plain.test(next) && !"#!~".includes(next)) {
      note(reader, `\`${next}\` is not in quotes`);
    }
    take(reader, piece);
  }
}

function take(reader: Reader, piece: Piece): void {
  piece.value += reader.text[reader.at] ?? "";
  reader.at += 1;
}

function readSingleQuotes(reader: Reader, piece: Piece): void {
  const end = reader.text.indexOf("'", reader.at + 1);
  if (end === -1) giveUp("a quote is not closed");
  const quoted = reader.text.slice(reader.at + 1, end);
  if (control.test(quoted)) giveUp("the command has a control character");
  piece.value += quoted;
  reader.at = end + 1;
}

function readDoubleQuotes(reader: Reader, piece: Piece): void {
  const { text } = reader;
  reader.at += 1;
  for (let next = text[reader.at]; next !== '"'; next = text[reader.at]) {
    if (next === undefined) giveUp("a quote is not closed");
    if (control.test(next)) giveUp("the command has a control character");
    if (next === "\\") readQuotedEscape(reader, piece);
    else if (next === "`") {
      readBackticks(reader);
      piece.isOpen = true;
    } else if (next === "$" && !/["| ]/.test(text[reader.at + 1] ?? "")) {
      readDollar(reader, piece, { isQuoted: true });
    } else take(reader, piece);
  }
  reader.at += 1;
}

function readQuotedEscape(reader: Reader, piece: Piece): void {
  const escaped = reader.text[reader.at + 1] ?? "";
  const before = reader.text[reader.at - 1] ?? "";
  // In some character encodings, a backslash can be the second byte of a character.
  if (before > "\x7f") giveUp("a backslash follows a character that is not ASCII");
  if (escaped === "\n") giveUp("a word is continued on the next line");
  if (!'"\\$`'.includes(escaped) || escaped === "") piece.value += "\\";
  else {
    piece.value += escaped;
    reader.at += 1;
  }
  reader.at += 1;
}

function readEscape(reader: Reader, piece: Piece): void {
  const escaped = reader.text[reader.at + 1] ?? "";
  if (escaped === "\n") giveUp("a word is continued on the next line");
  if (!/^[ -~]$/.test(escaped)) giveUp("a backslash is before an unusual character");
  piece.value += escaped;
  reader.at += 2;
}

function readBrace(reader: Reader, piece: Piece): void {
  plainBraces.lastIndex = reader.at;
  const [braces] = plainBraces.exec(reader.text) ?? [];
  if (braces !== undefined) {
    piece.value += braces;
    reader.at += braces.length;
    return;
  }
  note(reader, "`{` or `}` is not in quotes");
  piece.isOpen = true;
  take(reader, piece);
}

const simpleVariable = /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[#!]?[A-Za-z_]\w*\})/y;

function readDollar(reader: Reader, piece: Piece, options: { isQuoted?: boolean } = {}): void {
  const { text } = reader;
  const next = text[reader.at + 1] ?? "";
  piece.isOpen = true;
  if (next === "(") {
    if (text[reader.at + 2] === "(") giveUp("the command uses arithmetic `$((`");
    note(reader, "`$(` runs a command and uses its output");
    reader.at += 1;
    readSubstitution(reader);
    return;
  }
  // Not every shell supports `$'…'` and `$"…"`.
  if (options.isQuoted !== true && (next === "'" || next === '"')) giveUp(`\`$${next}\` is used`);
  note(reader, "`$` is a value that only the shell knows");
  simpleVariable.lastIndex = reader.at;
  const [variable] = simpleVariable.exec(text) ?? [];
  if (variable === undefined && next === "{") giveUp("`${` does more than name a variable");
  reader.at += variable?.length ?? 1;
}

/** Maximum nesting of groups and substitutions. */
const maxDepth = 20;

/** Reads a substitution `( … )`, beginning at its opening parenthesis. */
export function readSubstitution(reader: Reader): void {
  reader.at += 1;
  reader.depth += 1;
  if (reader.depth > maxDepth) giveUp("too many groups are nested");
  reader.readList(reader, ")");
  reader.depth -= 1;
  reader.at += 1;
}

/** Reads a substitution in backticks. Gives up at an escape, which would need a second pass. */
function readBackticks(reader: Reader): void {
  note(reader, "a backtick runs a command and uses its output");
  const end = reader.text.indexOf("`", reader.at + 1);
  if (end === -1) giveUp("a backtick is not closed");
  const text = reader.text.slice(reader.at + 1, end);
  if (text.includes("\\")) giveUp("a backslash is between backticks");
  const inner = createReader(text, reader.readList);
  inner.readList(inner, null);
  reader.commands.push(...inner.commands);
  reader.at = end + 1;
}
