/**
 * Makes text safe for a terminal: text from models, files and commands must not move the cursor,
 * hide text or change colours. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return (
    text
      .replaceAll("\r\n", "\n")
      // eslint-disable-next-line no-control-regex -- control characters are replaced here
      .replaceAll(/[\0-\u0008\u000B-\u001F]/g, (letter) =>
        String.fromCodePoint(0x2400 + (letter.codePointAt(0) ?? 0)),
      )
      .replaceAll(/[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g, "\uFFFD")
  );
}

/** Returns the start of a text, on one line. */
export function oneLine(text: string, length: number): string {
  const line = printable(text).replaceAll(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  // Does not split a surrogate pair.
  return `${line.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
