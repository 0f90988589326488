/** Values that a body of JSON may hold: building more takes seconds, in which nobody else is served. */
export const maxValues = 20_000;

/** Whether JSON has more values than that. Skips strings, and needs no memory. */
export function hasTooManyValues(bytes: Buffer): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
    } else if (byte === comma || byte === bracket || byte === brace) {
      count += 1;
      if (count > maxValues) return true;
    }
  }
  return false;
}

const [quote, comma, bracket, brace, backslash] = Buffer.from('",[{\\');

/** The place of the closing quote; the end of the bytes if there is none. */
function endOfString(bytes: Buffer, start: number): number {
  for (let from = start + 1; ;) {
    const end = bytes.indexOf('"', from);
    if (end === -1) return bytes.length;
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
    from = end + 1;
  }
}
