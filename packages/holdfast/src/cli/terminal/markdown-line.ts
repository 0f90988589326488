/** Applies the inline styles of one line: emphasis, code and link targets. They end with the line. */
export interface Line {
  /** Style of the whole line. */
  base: readonly Style[];
  take(letter: string): void;
  /** Writes the characters that were held back. Called at the end of each line. */
  end(): void;
  clear(): void;
}

export function createLine(output: StyledText): Line {
  const none = { bold: "", italic: "", code: 0, brackets: 0, address: 0, isEscaped: false };
  let open = { ...none };
  let held = "";

  const put = (text: string, ...more: Style[]): void => {
    const style: Style[] = [...line.base, ...more];
    if (open.bold !== "") style.push(styles.bold);
    if (open.italic !== "") style.push(styles.italic);
    output.put(text, [...new Set(style)]);
  };
  const emphasise = (run: string, next: string): void => {
    const letter = run.charAt(0);
    const isBold = run.length === 2 || run.length === 3;
    const isItalic = run.length === 1 || run.length === 3;
    const isOpen = (isBold && open.bold === letter) || (isItalic && open.italic === letter);
    const mayClose = isOpen && !isSpace(output.last()) && (letter === "*" || !isWord(next));
    const bold = isBold && open.bold === "";
    const italic = isItalic && open.italic === "";
    if (mayClose) {
      if (isBold && open.bold === letter) open.bold = "";
      if (isItalic && open.italic === letter) open.italic = "";
      put(run, styles.dim);
    } else if ((bold || italic) && mayStandBefore(output.last()) && mayFollow(next)) {
      put(run, styles.dim);
      if (bold) open.bold = letter;
      if (italic) open.italic = letter;
    } else put(run);
  };
  const decide = (next: string): void => {
    const run = held;
    held = "";
    if (run.startsWith("`")) {
      put(run, styles.code);
      if (open.code === 0) open.code = run.length;
      else if (open.code === run.length) open.code = 0;
    } else if (run === "]") put(run);
    else if (run !== "") emphasise(run, next);
  };
  const takeAddress = (letter: string): void => {
    if (letter === "(") open.address += 1;
    if (letter === ")") open.address -= 1;
    put(letter, open.address === 0 ? styles.dim : styles.underline);
  };
  const isMarker = (letter: string): boolean =>
    letter === "`" || (open.code === 0 && (letter === "*" || letter === "_"));
  const line: Line = {
    base: [],
    take: (letter) => {
      if (held !== "" && held !== "]" && held.startsWith(letter)) {
        held += letter;
        return;
      }
      const isLink = held === "]" && letter === "(";
      decide(letter);
      if (isLink) {
        open.address = 1;
        put(letter, styles.dim);
      } else if (open.address > 0) takeAddress(letter);
      else if (open.isEscaped) {
        open.isEscaped = false;
        put(letter);
      } else if (isMarker(letter)) held = letter;
      else if (open.code > 0) put(letter, styles.code);
      else if (letter === "]" && open.brackets > 0) {
        open.brackets -= 1;
        held = letter;
      } else {
        if (letter === "[") open.brackets += 1;
        open.isEscaped = letter === "\\";
        put(letter);
      }
    },
    end: () => decide("\n"),
    clear: () => {
      open = { ...none };
      held = "";
      line.base = [];
    },
  };
  return line;
}

function isSpace(letter: string): boolean {
  return /\s/.test(letter);
}

function isWord(letter: string): boolean {
  return /[\p{L}\p{N}_]/u.test(letter);
}

/** True if a marker after this letter can start emphasis. It cannot in 2*3*4, snake_case and paths with stars. */
function mayStandBefore(letter: string): boolean {
  return /[\s([{"'“‘—–*_|]|[^\0-\u007F]/.test(letter);
}

function mayFollow(letter: string): boolean {
  return /[\p{L}\p{N}([{"'“‘`*_~<$]|[^\0-\u007F]/u.test(letter);
}

/** ANSI codes of the styles. */
export const styles = {
  bold: "1",
  dim: "2",
  italic: "3",
  underline: "4",
  bullet: "33",
  code: "36",
} as const;

type Style = (typeof styles)[keyof typeof styles];

/** Writes text. Adds escape codes only when the style changes. */
interface StyledText {
  put(text: string, style: readonly Style[]): void;
  /** The last character that was written. */
  last(): string;
  /** Returns the output since the last call. */
  written(): string;
}

export function createStyledText(): StyledText {
  let current = "";
  let last = "\n";
  let out = "";
  return {
    put: (text, style) => {
      if (text === "") return;
      const wanted = style.join(";");
      if (wanted !== current) {
        if (current !== "") out += "\u001B[0m";
        if (wanted !== "") out += `\u001B[${wanted}m`;
      }
      current = wanted;
      last = text.slice(-1);
      out += text;
    },
    last: () => last,
    written: () => {
      const text = out;
      out = "";
      return text;
    },
  };
}
