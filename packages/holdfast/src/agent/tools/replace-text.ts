/** One replacement in a text. */
export interface TextEdit {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean | undefined;
}

export type Replaced =
  | { readonly status: "replaced"; readonly text: string }
  | { readonly status: "refused"; readonly message: string };

/**
 * Applies the edits in order, all or none. Line feeds in an edit also match CR LF in the text. New lines get the line
 * ends of the text that they replace. Everything else stays unchanged.
 */
export function replaceText(text: string, edits: readonly TextEdit[]): Replaced {
  let current = text;
  for (const [index, edit] of edits.entries()) {
    const outcome = replaceOne(current, edit);
    if (outcome.status === "refused") {
      const which = edits.length === 1 ? "" : `edit ${index + 1} of ${edits.length}: `;
      return { status: "refused", message: which + outcome.message };
    }
    current = outcome.text;
  }
  return { status: "replaced", text: current };
}

/** Changes the line ends and the byte order mark of new content to those of the old content. */
export function keepEndings(content: string, before: string): string {
  const { crlf, lf } = countEndings(before);
  const endings = crlf > 0 && lf === 0 && !content.includes("\r\n");
  const text = endings ? content.replaceAll("\n", "\r\n") : content;
  return before.startsWith("\ufeff") && !text.startsWith("\ufeff") ? `\ufeff${text}` : text;
}

function replaceOne(text: string, edit: TextEdit): Replaced {
  const old = edit.old.replaceAll("\r\n", "\n");
  const next = edit.new.replaceAll("\r\n", "\n");
  if (old === "") return refused("the old text is empty; use write to create a file");
  if (old === next) return refused("the old and the new text are the same");
  const plain = text.replaceAll("\r\n", "\n");
  const places = occurrences(plain, old);
  if (places.length === 0) return refused(`the old text is not in the file; ${hint(plain, old)}`);
  if (places.length > 1 && edit.all !== true) {
    const lines = places.slice(0, 10).map((place) => lineAt(plain, place));
    return refused(
      `the old text is in the file ${places.length} times (lines ${lines.join(", ")}); add lines around it to make it unique, or set all`,
    );
  }
  const origin = originOf(text);
  const { crlf, lf } = countEndings(text);
  const pieces: string[] = [];
  let end = 0;
  for (const place of places) {
    const [from, to] = [origin(place), origin(place + old.length)];
    const replaced = countEndings(text.slice(from, to));
    const own = replaced.crlf + replaced.lf > 0 ? replaced : { crlf, lf };
    pieces.push(text.slice(end, from), own.crlf > own.lf ? next.replaceAll("\n", "\r\n") : next);
    end = to;
  }
  pieces.push(text.slice(end));
  return { status: "replaced", text: pieces.join("") };
}

/** Explains the most common mistakes in an edit, so that the model does not repeat them. */
function hint(text: string, old: string): string {
  const wanted = old.split("\n");
  if (wanted.every((line) => /^ *\d+\t/.test(line))) {
    return "write it without the line numbers, which are not part of the file";
  }
  const trimmed = wanted.map((line) => line.trim());
  const lines = text.split("\n");
  const bare = lines.map((line) => line.trim());
  const isAt = (start: number): boolean =>
    trimmed.every((line, offset) => bare[start + offset] === line);
  const found = trimmed.join("") === "" ? -1 : lines.findIndex((_, start) => isAt(start));
  const shown = lines.slice(found, found + wanted.length).join("\n");
  if (found === -1 || shown.length > longestHint) {
    return "it must match exactly, including all white space";
  }
  return `with other white space it is at line ${found + 1}, exactly like this:\n${shown}`;
}

const longestHint = 4_000;

/**
 * Returns a function that converts positions in the text without CRs to positions in the original text. Call it with
 * ascending positions.
 */
function originOf(text: string): (place: number) => number {
  let searched = text.indexOf("\r\n");
  let removed = 0;
  return (place) => {
    while (searched !== -1 && searched - removed < place) {
      removed += 1;
      searched = text.indexOf("\r\n", searched + 2);
    }
    return place + removed;
  };
}

function occurrences(text: string, part: string): number[] {
  const places: number[] = [];
  let place = text.indexOf(part);
  while (place !== -1) {
    places.push(place);
    place = text.indexOf(part, place + part.length);
  }
  return places;
}

function countEndings(text: string): { crlf: number; lf: number } {
  const crlf = occurrences(text, "\r\n").length;
  return { crlf, lf: occurrences(text, "\n").length - crlf };
}

function lineAt(text: string, place: number): number {
  return occurrences(text.slice(0, place), "\n").length + 1;
}

function refused(message: string): Replaced {
  return { status: "refused", message };
}
