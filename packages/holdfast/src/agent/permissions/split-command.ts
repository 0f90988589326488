export interface SplitCommand {
  /** The simple commands in it, as they are written, with single spaces between words. */
  readonly parts: readonly string[];
  /** False if something in it can run or change what the parts do not show. */
  readonly complete: boolean;
}

/** Sends output nowhere, or errors where the output goes: harmless, and in every second command. */
const harmlessRedirect = /^(?:[12]?>&[12]|(?:[12]|&)?>{1,2}\/dev\/null|<\/dev\/null)$/;

/** Characters that, unquoted, make a command mean more than its words. */
const telling = new Set(["$", "`", "(", ")", "{", "}", "<", ">", "#", "!"]);

/**
 * Takes a command line apart at `;`, `&`, `|` and line ends. It understands quotes and nothing else:
 * substitution, variables, redirects, groups, comments and line continuations make it incomplete.
 */
export function splitCommand(command: string): SplitCommand {
  const parts: string[] = [];
  let words: string[] = [];
  let word = "";
  let complete = true;

  const endWord = (): void => {
    if (harmlessRedirect.test(word)) word = "";
    else if (hasTelling(word)) complete = false;
    if (word !== "") words.push(word);
    word = "";
  };
  const endPart = (): void => {
    endWord();
    if (words.length > 0) parts.push(words.join(" "));
    words = [];
  };

  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] ?? "";
    const next = command[index + 1] ?? "";
    if (character === "\\") {
      if (next === "\n" || next === "") complete = false;
      word += character + next;
      index += 1;
    } else if (character === "'" || character === '"') {
      const end = closingQuote(command, index);
      if (end === -1) complete = false;
      const quoted = command.slice(index, end === -1 ? undefined : end + 1);
      if (character === '"' && /[$`]/.test(quoted)) complete = false;
      word += quoted;
      index += quoted.length - 1;
    } else if (character === ";" || character === "|" || character === "\n") {
      endPart();
    } else if (character === "&") {
      // `2>&1` and `&>file` are redirects; everywhere else it ends a command.
      if (word.endsWith(">") || next === ">") word += character;
      else endPart();
    } else if (character === " " || character === "\t") {
      endWord();
    } else {
      word += character;
    }
  }
  endPart();
  return { parts, complete };
}

/** Words that may stand before the one that says what is run. */
const prefixes =
  /^(?:(?:[A-Za-z_]\w*=\S*|sudo|doas|env|command|builtin|exec|nohup|time|nice|xargs|if|then|elif|else|while|until|do|!|\{|\()\s+)+/;

/** The words without their quotes and without what may stand before them: what really is run. */
export function bareCommand(part: string): string {
  const bare = part.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/gs, (_, single, double, escaped) =>
    String(single ?? double ?? escaped ?? ""),
  );
  return bare.replace(prefixes, "");
}

function hasTelling(word: string): boolean {
  const unquoted = word.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gs, "");
  return Array.from(unquoted).some((character) => telling.has(character));
}

function closingQuote(command: string, start: number): number {
  const quote = command[start];
  for (let index = start + 1; index < command.length; index += 1) {
    if (command[index] === "\\" && quote === '"') index += 1;
    else if (command[index] === quote) return index;
  }
  return -1;
}
