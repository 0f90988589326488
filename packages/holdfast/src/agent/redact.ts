/** Takes configured secrets out of texts before anyone else sees these. */
export interface Redactor {
  redact(text: string): string;
  /** For a text that arrives in pieces: a secret split between two of them is found as well. */
  stream(): RedactorStream;
}

export interface RedactorStream {
  /** What can be shown by now; the possible beginning of a secret is held back. */
  push(piece: string): string;
  /** The rest, when no more comes. */
  end(): string;
}

const mask = "[secret]";
/** Shorter ones would hide ordinary words, and keep no secret. */
const minLength = 4;
const minEncodedLength = 8;
const minLineLength = 12;

/**
 * Hides each secret, and its forms in base64, hex, JSON and addresses. Line breaks are overlooked, so
 * that one which was wrapped by a program is found too.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= minLength)
    .map((text) => ({ text, fallback: fallbackTable(text) }));
  return {
    redact: (text) => {
      const stream = createStream(needles);
      return stream.push(text) + stream.end();
    },
    stream: () => createStream(needles),
  };
}

interface Needle {
  readonly text: string;
  readonly fallback: readonly number[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function createStream(needles: readonly Needle[]): RedactorStream {
  let held = "";
  /** So much at the start of `held` belongs to a secret that is already masked. */
  let covered = 0;

  /** Gives out everything before the cut, and keeps the rest. */
  const advance = (text: string, options: { spans: readonly Span[]; cut: number }): string => {
    const { spans, cut } = options;
    const pieces: string[] = [];
    let from = 0;
    let reach = 0;
    for (const { start, end } of spans) {
      // A span that was begun before has its mask already, and stays begun.
      const begun = start === 0 && covered > 0;
      if (start >= cut && !begun) break;
      pieces.push(text.slice(from, start));
      if (!begun) pieces.push(mask);
      from = end;
      reach = end;
    }
    if (from < cut) pieces.push(text.slice(from, cut));
    held = text.slice(cut);
    covered = Math.max(0, reach - cut);
    return pieces.join("");
  };

  const scan = (text: string): { spans: readonly Span[]; cut: number } => {
    const { plain, places } = withoutBreaks(text);
    const found: Span[] = covered > 0 ? [{ start: 0, end: covered }] : [];
    let cut = text.length;
    for (const needle of needles) {
      const { text: wanted } = needle;
      for (let at = plain.indexOf(wanted); at !== -1; at = plain.indexOf(wanted, at + 1)) {
        const last = places(at + wanted.length - 1);
        found.push({ start: places(at), end: last + 1 });
      }
      const open = openPrefix(needle, plain);
      if (open > 0) cut = Math.min(cut, places(plain.length - open));
    }
    return { spans: merge(found), cut };
  };

  return {
    push: (piece) => {
      if (needles.length === 0) return piece;
      const text = held + piece;
      return advance(text, scan(text));
    },
    end: () => {
      const text = held;
      const output = advance(text, { spans: scan(text).spans, cut: text.length });
      covered = 0;
      return output;
    },
  };
}

/** The length of the longest end of the text with which the needle could begin. */
function openPrefix({ text, fallback }: Needle, plain: string): number {
  let matched = 0;
  for (let index = Math.max(0, plain.length - text.length + 1); index < plain.length; index += 1) {
    while (matched > 0 && text[matched] !== plain[index]) matched = fallback[matched - 1] ?? 0;
    if (text[matched] === plain[index]) matched += 1;
  }
  return matched;
}

/** For each length, how much of the needle's beginning is also an end of that beginning. */
function fallbackTable(text: string): number[] {
  const table = [0];
  let matched = 0;
  for (let index = 1; index < text.length; index += 1) {
    while (matched > 0 && text[matched] !== text[index]) matched = table[matched - 1] ?? 0;
    if (text[matched] === text[index]) matched += 1;
    table.push(matched);
  }
  return table;
}

function withoutBreaks(text: string): { plain: string; places: (index: number) => number } {
  if (!/[\r\n]/.test(text)) return { plain: text, places: (index) => index };
  const kept: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] !== "\n" && text[index] !== "\r") kept.push(index);
  }
  return { plain: text.replaceAll(/[\r\n]/g, ""), places: (index) => kept[index] ?? text.length };
}

/** Sorted, and without overlaps; spans that only touch stay two. */
function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}

function formsOf(secret: string): string[] {
  const trimmed = secret.trim();
  if (trimmed.length < minLength) return [];
  const bytes = Buffer.from(trimmed);
  const hex = bytes.toString("hex");
  const lines = trimmed.split(/[\r\n]+/).filter((line) => line.trim().length >= minLineLength);
  const forms = [
    trimmed,
    ...(lines.length > 1 ? lines.map((line) => line.trim()) : []),
    JSON.stringify(trimmed).slice(1, -1),
    encodeURIComponent(trimmed),
    ...[hex, hex.toUpperCase(), ...base64Forms(bytes)].filter(
      (form) => form.length >= minEncodedLength,
    ),
  ];
  return forms.map((form) => form.replaceAll(/[\r\n]/g, ""));
}

/** The part of its base64 that depends on the secret alone, wherever it begins in a longer text. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    // Where nothing follows, its last character and the padding are the secret's as well.
    const forms = [
      encoded.slice(start, end),
      encoded.slice(start),
      encoded.slice(start).replace(/=+$/, ""),
    ];
    return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
  });
}
