import type { CommandLine, Operator } from "./command-line.ts";
import { readSubstitution, readWord } from "./read-word.ts";
import { createReader, endsWord, giveUp, note, Unreadable } from "./reader.ts";
import type { OpenCommand, Reader } from "./reader.ts";

/** Maximum length of a line. Longer lines are not parsed, because no person could check them either. */
const maxLength = 20_000;

/**
 * Parses a command line by the shell grammar (POSIX, section 2.10). Only these lines are understood completely: plain
 * commands joined by `;`, `&&`, `||`, `|` and line ends, with quotes, escapes, comments and harmless redirections. All
 * POSIX shells read them in the same way. For other syntax, `unexplained` contains the reason, and the commands inside
 * it are collected for deny rules. If that fails too, `opaque` is true.
 */
export function parseCommandLine(text: string): CommandLine {
  const reader = createReader(text, readList);
  try {
    if (text.length > maxLength) giveUp(`the command is longer than ${maxLength} characters`);
    if (!text.isWellFormed()) giveUp("the command is not valid Unicode");
    readList(reader, null);
    if (reader.at < text.length) giveUp("`)` has no matching `(`");
    if (reader.commands.length === 0) giveUp("there is no command");
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    note(reader, error.message);
    reader.opaque = true;
  }
  const { commands, unexplained, opaque } = reader;
  return { commands, unexplained, opaque };
}

function readList(reader: Reader, closing: ")" | null): void {
  let operator: Operator | null = null;
  for (;;) {
    const isEmpty = readCommand(reader, operator);
    const end = reader.text[reader.at];
    const isLast = end === undefined || end === ")";
    if (isEmpty && (operator === "&&" || operator === "||" || operator === "|")) {
      giveUp(`\`${operator}\` has no command after it`);
    }
    if (isLast) break;
    if (isEmpty) giveUp("an operator has no command before it");
    operator = readOperator(reader);
  }
  if ((reader.text[reader.at] === ")") !== (closing === ")"))
    giveUp("a parenthesis does not match");
}

function readOperator(reader: Reader): Operator {
  const pair = reader.text.slice(reader.at, reader.at + 2);
  if (pair === "&&" || pair === "||") {
    reader.at += 2;
    return pair;
  }
  if (pair === ";;" || pair === ";&" || pair === "|&" || pair === "&>") {
    giveUp(`shells read \`${pair}\` differently`);
  }
  reader.at += 1;
  if (pair.startsWith("|")) return "|";
  if (!pair.startsWith("&")) return ";";
  note(reader, "`&` leaves a command running in the background");
  return "&";
}

/** Reads one simple command or group. Returns true if there is none. */
function readCommand(reader: Reader, operator: Operator | null): boolean {
  skipToCommand(reader);
  const command: OpenCommand = {
    start: reader.at,
    words: [],
    operator,
    hasMore: false,
    isHeader: false,
  };
  while (readPart(reader, command)) skipBlanks(reader);
  const { words, hasMore, isHeader, start } = command;
  const text = reader.text.slice(start, reader.at).trimEnd();
  if (words.length > 0 && !isHeader) reader.commands.push({ words, text, operator });
  return words.length === 0 && !hasMore;
}

/** Reads the next word, redirection or group of a command. Returns false at the end of the command. */
function readPart(reader: Reader, command: OpenCommand): boolean {
  const { text } = reader;
  const next = text[reader.at] ?? "";
  if (next === "" || "\n;|&)".includes(next)) return false;
  if (next === "#") {
    skipComment(reader);
    return false;
  }
  if (next === "<" || next === ">") {
    readRedirection(reader, command, "");
  } else if (next === "(") {
    if (command.words.length > 0) giveUp("`(` after a word defines a function or is invalid");
    if (text[reader.at + 1] === "(") giveUp("`((` is arithmetic or opens two groups");
    note(reader, "`(` starts a group of commands");
    command.hasMore = true;
    readSubstitution(reader);
  } else if (!readKeyword(reader, command)) {
    const start = reader.at;
    const word = readWord(reader);
    const source = text.slice(start, reader.at);
    const isNumber = /^\d+$/.test(source) && /^[<>]/.test(text.slice(reader.at, reader.at + 1));
    if (isNumber) readRedirection(reader, command, source);
    else if (command.words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(source)) {
      note(reader, "the command sets a variable");
      command.hasMore = true;
    } else {
      if (command.words.length === 0 && word.kind !== "literal") {
        note(reader, "the program name is not literal");
      }
      command.words.push(word);
    }
  }
  return true;
}

/** Skips spaces, tabs and escaped line ends. */
function skipBlanks(reader: Reader): void {
  const { text } = reader;
  for (;;) {
    const next = text[reader.at];
    if (next === " " || next === "\t") reader.at += 1;
    else if (next === "\\" && text[reader.at + 1] === "\n" && isAfterBlank(reader)) reader.at += 2;
    else return;
  }
}

function isAfterBlank({ text, at }: Reader): boolean {
  return at === 0 || /[ \t\n]/.test(text[at - 1] ?? "");
}

/** Skips spaces, empty lines and comments before a command. */
function skipToCommand(reader: Reader): void {
  for (;;) {
    skipBlanks(reader);
    const next = reader.text[reader.at];
    if (next === "\n") reader.at += 1;
    else if (next === "#") skipComment(reader);
    else return;
  }
}

function skipComment(reader: Reader): void {
  const end = reader.text.indexOf("\n", reader.at);
  const comment = reader.text.slice(reader.at, end === -1 ? undefined : end);
  if (/\\|(?!\t)\p{Cc}/u.test(comment)) giveUp("a comment has a backslash or a control character");
  reader.at += comment.length;
}

/**
 * Reserved words that the parser skips: either a command follows the word (`then`), or the word ends a compound command
 * (`fi`).
 */
const transparent = new Set("! { } if then elif else fi while until do done time".split(" "));
/** Reserved words that start syntax which this parser does not read. */
const unreadable = new Set("case coproc esac for function in select [[ ]]".split(" "));

const word = /[^\s;&|<>()'"\\$`]+/y;
const forHeader = /for[ \t]+[A-Za-z_]\w*(?:[ \t]+in(?=[\s;])|(?=[ \t]*[;\n]))/y;

/** Reads a reserved word, which is only recognized where a command can start. Returns false if there is none. */
function readKeyword(reader: Reader, command: OpenCommand): boolean {
  if (command.words.length > 0 || command.hasMore) return false;
  word.lastIndex = reader.at;
  const [found = ""] = word.exec(reader.text) ?? [];
  if (!endsWord(reader.text[reader.at + found.length] ?? "")) return false;
  if (transparent.has(found)) {
    note(reader, `\`${found}\` is not a plain command`);
    reader.at += found.length;
    // `}`, `fi` and `done` end a command, so an operator may follow.
    if (/^(?:\}|fi|done)$/.test(found)) command.hasMore = true;
    return true;
  }
  if (!unreadable.has(found)) return false;
  forHeader.lastIndex = reader.at;
  const [header] = forHeader.exec(reader.text) ?? [];
  if (header === undefined) giveUp(`\`${found}\` is not a plain command`);
  note(reader, "`for` is not a plain command");
  reader.at += header.length;
  command.hasMore = true;
  command.isHeader = true;
  return true;
}

const operators = /<<<|<<-|<<|<>|<&|<|>>|>&|>\||>/y;

/** Redirections that discard output, merge stderr into stdout, or read empty input. They are harmless and common. */
const harmless = /^(?:[12]?>&[12]|[12]?>{1,2}\/dev\/null|<\/dev\/null)$/;

/** Reads a redirection whose file descriptor number was already read. */
function readRedirection(reader: Reader, command: OpenCommand, descriptor: string): void {
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
  if (operator.startsWith("<<")) giveUp(`\`${operator}\` contains input for the command`);
  reader.at += operator.length;
  while (text[reader.at] === " " || text[reader.at] === "\t") reader.at += 1;
  const start = reader.at;
  const { kind, value } = readWord(reader);
  if (reader.at === start) giveUp(`\`${operator}\` names no file`);
  // In `>&1>x`, some shells read the 1 as file descriptor of the next redirection.
  if (/[<>]/.test(text[reader.at] ?? "")) giveUp("two redirections have no space between them");
  command.hasMore = true;
  const source = text.slice(start, reader.at);
  const isPlain = kind === "literal" && value === source;
  if (isPlain && harmless.test(descriptor + operator + source)) return;
  const doing = operator.startsWith("<") ? "reads from" : "writes to";
  note(reader, `\`${operator}\` ${doing} a file`);
}
