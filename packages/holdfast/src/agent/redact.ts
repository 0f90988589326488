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

const hidden = "[secret]";
/** Shorter ones would hide ordinary words, and keep no secret. */
const minLength = 4;
const minEncodedLength = 8;
const minLineLength = 12;

/** Holdfast's own tokens, cookies and keys: known by their form, whoever made them. */
const ownSecret = /hfc?_[0-9a-f]{12}_[\w-]{43}|hfk_[\w-]{43}/g;
/** The end of a text that one of them could begin with. */
const ownBeginning =
  /h(?:f(?:c?(?:_(?:[0-9a-f]{0,12}|[0-9a-f]{12}_[\w-]{0,42}))?|k(?:_[\w-]{0,42})?)?)?$/;
const longestOwn = "hfc_".length + 12 + 1 + 43;

/**
 * Hides each secret, and its forms in base64, hex, JSON and addresses. Line breaks are overlooked, so
 * that one which was wrapped by a program is found too.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= minLength)
    .map((text) => ({ text, fallback: fallbackTable(text) }));
  return {
    redact: (text) => mask(text, merge(find(needles, withoutBreaks(text)))),
    stream: () => createStream(needles),
  };
}

/** One that gets to know more secrets as it goes on, and forgets none. */
export interface LearningRedactor extends Redactor {
  learn(secrets: readonly string[]): void;
  secrets(): readonly string[];
}

export function createLearningRedactor(): LearningRedactor {
  const known = new Set<string>();
  let current = createRedactor([]);
  return {
    redact: (text) => current.redact(text),
    stream: () => current.stream(),
    secrets: () => [...known],
    learn: (secrets) => {
      const before = known.size;
      for (const secret of secrets) known.add(secret);
      if (known.size > before) current = createRedactor([...known]);
    },
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
      if (!begun) pieces.push(hidden);
      from = end;
      reach = end;
    }
    if (from < cut) pieces.push(text.slice(from, cut));
    held = text.slice(cut);
    covered = Math.max(0, reach - cut);
    return pieces.join("");
  };

  const scan = (text: string): { spans: readonly Span[]; cut: number } => {
    const whole = withoutBreaks(text);
    const begun: Span[] = covered > 0 ? [{ start: 0, end: covered }] : [];
    const spans = merge([...begun, ...find(needles, whole)]);
    const opens = needles.map((needle) => openPrefix(needle, whole.plain));
    const open = Math.max(openOwn(whole.plain), ...opens);
    const cut = open === 0 ? text.length : whole.place(whole.plain.length - open);
    return { spans, cut };
  };

  return {
    push: (piece) => {
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

function find(needles: readonly Needle[], { plain, place }: Unbroken): Span[] {
  const found: Span[] = [];
  for (const { text } of needles) {
    for (let at = plain.indexOf(text); at !== -1; at = plain.indexOf(text, at + 1)) {
      found.push({ start: place(at), end: place(at + text.length - 1) + 1 });
    }
  }
  if (!plain.includes("hf")) return found;
  for (const { 0: own, index } of plain.matchAll(ownSecret)) {
    found.push({ start: place(index), end: place(index + own.length - 1) + 1 });
  }
  return found;
}

function mask(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const between = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start));
  return [...between, text.slice(spans.at(-1)?.end)].join(hidden);
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

/** Same as above, for Holdfast's own secrets. */
function openOwn(plain: string): number {
  return ownBeginning.exec(plain.slice(-longestOwn))?.[0].length ?? 0;
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

interface Unbroken {
  readonly plain: string;
  /** Where a character of it stands in the text. */
  readonly place: (index: number) => number;
}

function withoutBreaks(text: string): Unbroken {
  if (!text.includes("\n") && !text.includes("\r")) return { plain: text, place: (index) => index };
  // Most texts hold no secret, and nobody asks.
  let counts: Uint32Array | null = null;
  return {
    // A lone surrogate becomes another character here, of the same length and in no secret.
    plain: bytesWithoutBreaks(Buffer.from(text)).toString(),
    place: (index) => {
      counts ??= countBlocks(text);
      return placeOf(text, counts, index);
    },
  };
}

function bytesWithoutBreaks(bytes: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(bytes.length);
  return kept.subarray(0, copyWithoutBreaks(bytes, { to: kept, at: 0 }));
}

/**
 * Copies bytes that are no line breaks, and returns where they end. A text may be nothing but line
 * breaks, so nothing is allocated for each.
 */
export function copyWithoutBreaks(bytes: Buffer, target: { to: Buffer; at: number }): number {
  const { to } = target;
  let end = target.at;
  // By index: an iterator takes several times as long.
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === 10 || byte === 13) continue;
    to[end] = byte;
    end += 1;
  }
  return end;
}

const blockLength = 64;

/** For each block of the text, how many characters before it are no line breaks. */
function countBlocks(text: string): Uint32Array {
  const counts = new Uint32Array(Math.ceil(text.length / blockLength));
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (index % blockLength === 0) counts[index / blockLength] = count;
    if (!isBreak(text, index)) count += 1;
  }
  return counts;
}

/** Where the character stands that has so many others before it which are no line breaks. */
function placeOf(text: string, counts: Uint32Array, wanted: number): number {
  let low = 0;
  let high = counts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((counts[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  const block = Math.max(0, low - 1);
  let index = block * blockLength;
  for (let count = counts[block] ?? 0; index < text.length; index += 1) {
    if (isBreak(text, index)) continue;
    if (count === wanted) return index;
    count += 1;
  }
  return index;
}

function isBreak(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === 10 || code === 13;
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
