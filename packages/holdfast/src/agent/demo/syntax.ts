/** Splits a text into instructions: one per line, or separated by `;`. A block in braces stays whole. */
export function splitInstructions(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let piece = "";
  for (const character of text) {
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === ";" || character === "\n")) {
      pieces.push(piece);
      piece = "";
    } else {
      piece += character;
    }
  }
  pieces.push(piece);
  return pieces.map((candidate) => candidate.trim()).filter((candidate) => candidate !== "");
}

/** Removes the braces of `{ a; b }`. Other text is only trimmed. */
export function unwrap(text: string): string {
  const inner = /^\{(.*)\}$/s.exec(text.trim());
  return (inner?.[1] ?? text).trim();
}

/** Parses `250ms`, `2s`, or a number of milliseconds. Returns null if the text is invalid or over one hour. */
export function duration(text: string): number | null {
  const match = /^(\d{1,7})(ms|s)?$/.exec(text);
  if (match === null) return null;
  const milliseconds = Number(match[1]) * (match[2] === "s" ? 1_000 : 1);
  return milliseconds <= 3_600_000 ? milliseconds : null;
}
