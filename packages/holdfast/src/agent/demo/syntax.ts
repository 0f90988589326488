/** The instructions of a text: one per line, or separated by `;`. What is in braces stays together. */
export function splitInstructions(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === ";" || character === "\n")) {
      parts.push(part);
      part = "";
    } else {
      part += character;
    }
  }
  parts.push(part);
  return parts.map((candidate) => candidate.trim()).filter((candidate) => candidate !== "");
}

/** `{ a; b }` without its braces; anything else as it is. */
export function unwrap(text: string): string {
  const inner = /^\{(.*)\}$/s.exec(text.trim());
  return (inner?.[1] ?? text).trim();
}

/** `250ms`, `2s`, or a bare number of milliseconds; null for anything else, or past an hour. */
export function duration(text: string): number | null {
  const match = /^(\d{1,7})(ms|s)?$/.exec(text);
  if (match === null) return null;
  const milliseconds = Number(match[1]) * (match[2] === "s" ? 1_000 : 1);
  return milliseconds <= 3_600_000 ? milliseconds : null;
}
