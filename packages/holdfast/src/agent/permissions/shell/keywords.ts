import { endsWord, giveUp, note } from "./reader.ts";
import type { OpenCommand, Reader } from "./reader.ts";

/** Words after which a command starts, or a compound command ends. */
const transparent = new Set("! { } if then elif else fi while until do done time".split(" "));
/** Words that start a syntax of their own. */
const unreadable = new Set("case coproc esac for function in select [[ ]]".split(" "));

const word = /[^\s;&|<>()'"\\$`]+/y;
const forHeader = /for[ \t]+[A-Za-z_]\w*(?:[ \t]+in(?=[\s;])|(?=[ \t]*[;\n]))/y;

/** Reads a reserved word, which has a meaning only where a command can start. False if there is none. */
export function readKeyword(reader: Reader, command: OpenCommand): boolean {
  if (command.words.length > 0 || command.hasMore) return false;
  word.lastIndex = reader.at;
  const [found = ""] = word.exec(reader.text) ?? [];
  if (!endsWord(reader.text[reader.at + found.length] ?? "")) return false;
  if (transparent.has(found)) {
    note(reader, `\`${found}\` is not a plain command`);
    reader.at += found.length;
    // `}` and `fi` end a command, so that an operator may follow.
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
