// jsonb takes neither U+0000 nor half of a surrogate pair, which JSON and JavaScript do. In the JSON
// text that goes into it these are written as U+F8FF and four hex digits, and U+F8FF itself likewise.

const mark = "\uf8ff";
const escaped = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g;
const marked = /\uf8ff([0-9a-f]{4})/g;

export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(mark, `${mark}f8ff`);
  if (!text.includes("\\")) return text;
  // Well-formed pairs stand in the text as they are: an escaped surrogate is always half of one.
  return text.replaceAll(escaped, (whole: string, code: string | undefined) =>
    code === undefined ? whole : mark + code,
  );
}

export function fromJsonb(text: string): unknown {
  const plain = text.includes(mark) ? text.replaceAll(marked, String.raw`\u$1`) : text;
  return JSON.parse(plain);
}
