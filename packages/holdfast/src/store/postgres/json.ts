// jsonb accepts neither U+0000 nor a lone surrogate, but JSON and JavaScript do. In stored JSON text these
// characters, and U+F8FF itself, are written as U+F8FF followed by four hex digits.

const mark = "\uf8ff";
const escaped = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g;
const marked = /\uf8ff([0-9a-f]{4})/g;

export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(mark, `${mark}f8ff`);
  if (!text.includes("\\")) return text;
  // JSON.stringify escapes only lone surrogates; valid pairs appear unescaped.
  return text.replaceAll(escaped, (whole: string, code: string | undefined) =>
    code === undefined ? whole : mark + code,
  );
}

export function fromJsonb(text: string): unknown {
  const plain = text.includes(mark) ? text.replaceAll(marked, String.raw`\u$1`) : text;
  return JSON.parse(plain);
}
