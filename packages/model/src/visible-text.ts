/**
 * Invisible characters that change how text looks: direction marks, zero-width characters, controls. The page makes
 * them visible, so that people read the same code as the machine.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- this pattern finds control characters
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** Replaces hidden characters by their code, such as ⟨U+202E⟩. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(hidden, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/**
 * Characters that have no shape of their own, or that move the text after them, except tabs and line feeds. U+FE0F is
 * left out, because it only selects the picture of an emoji.
 */
const shapeless =
  // oxlint-disable-next-line no-control-regex -- this pattern finds control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/gu;

/** Like visibleText, for a text that people approve, such as a command: a carriage return is visible too. */
export function exactText(text: string): string {
  return text.replace(shapeless, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Like visibleText, for a text that must stay on one line, such as a file name. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(
    /[\n\r\t]/g,
    (found) => `⟨U+000${found.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}

/** Returns the first part of a text, cut at the end of a line if one is near. */
export function headOf(text: string, limits: { lines: number; characters: number }): string {
  let end = 0;
  for (let line = 0; line < limits.lines; line += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1 || next > limits.characters) {
      end = next === -1 ? text.length : limits.characters;
      break;
    }
    end = next + 1;
  }
  return text.slice(0, Math.min(end, limits.characters));
}

/** Returns the last lines of a text, for output that is still growing. */
export function tailOf(text: string, limits: { lines: number; characters: number }): string {
  let begin = text.length;
  for (let line = 0; line < limits.lines && begin > 0; line += 1) {
    begin = text.lastIndexOf("\n", begin - 1);
    if (begin === -1) break;
  }
  return text.slice(Math.max(begin + (begin > 0 ? 1 : 0), text.length - limits.characters, 0));
}

export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
