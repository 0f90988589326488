/** Removes known secrets from texts. */
export interface Redactor {
  redact(text: string): string;
  /** Creates a stream that redacts a text in pieces, even if a secret is split between two pieces. */
  stream(): RedactorStream;
}

export interface RedactorStream {
  /** Returns the redacted text up to now. Text that could be the beginning of a secret is held back. */
  push(piece: string): string;
  /** Call at the end of the text. Returns the text that `push` has held back. */
  end(): string;
}

const maskText = "[secret]";
/** Minimum length of a secret. Shorter secrets could hide ordinary words. */
const minLength = 4;
const minEncodedLength = 8;
const minLineLength = 12;

/** Matches tokens, cookies and keys of Holdfast itself by their format. */
const ownSecret = /hfc?_[0-9a-f]{12}_[\w-]{43}|hfk_[\w-]{43}/g;
/** Matches the end of a text that could be the beginning of one of Holdfast's own secrets. */
const ownBeginning =
  /h(?:f(?:c?(?:_(?:[0-9a-f]{0,12}|[0-9a-f]{12}_[\w-]{0,42}))?|k(?:_[\w-]{0,42})?)?)?$/;
const longestOwn = "hfc_".length + 12 + 1 + 43;

/**
 * Creates a redactor that hides each secret, also if it is encoded as base64, hex, JSON or URL. Ignores line breaks, so
 * that a wrapped secret is found too.
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

/** A redactor to which secrets can be added. It never forgets a secret. */
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
  /** Number of characters at the start of `held` that belong to a secret whose mask was already returned. */
  let covered = 0;

  /** Returns the text before the position `cut` with secrets masked, and holds back the rest. */
  const advance = (text: string, options: { spans: readonly Span[]; cut: number }): string => {
    const { spans, cut } = options;
    const pieces: string[] = [];
    let from = 0;
    let reach = 0;
    for (const { start, end } of spans) {
      // True if the secret started in an earlier piece, so its mask was already returned.
      const begun = start === 0 && covered > 0;
      if (start >= cut && !begun) break;
      pieces.push(text.slice(from, start));
      if (!begun) pieces.push(maskText);
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
  return [...between, text.slice(spans.at(-1)?.end)].join(maskText);
}

/** Returns the length of the longest suffix of the text that is a prefix of the needle. */
function openPrefix({ text, fallback }: Needle, plain: string): number {
  let matched = 0;
  for (let index = Math.max(0, plain.length - text.length + 1); index < plain.length; index += 1) {
    while (matched > 0 && text[matched] !== plain[index]) matched = fallback[matched - 1] ?? 0;
    if (text[matched] === plain[index]) matched += 1;
  }
  return matched;
}

/** Returns the length of the longest end of the text that could be the beginning of one of Holdfast's own secrets. */
function openOwn(plain: string): number {
  return ownBeginning.exec(plain.slice(-longestOwn))?.[0].length ?? 0;
}

/** KMP table: for each prefix of the needle, the length of its longest proper prefix that is also its suffix. */
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
  /** Converts an index in `plain` to an index in the original text. */
  readonly place: (index: number) => number;
}

function withoutBreaks(text: string): Unbroken {
  if (!text.includes("\n") && !text.includes("\r")) return { plain: text, place: (index) => index };
  // Computed only when needed, because most texts contain no secret.
  let counts: Uint32Array | null = null;
  return {
    // The conversion replaces a lone surrogate with one other character, which occurs in no secret.
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
 * Copies bytes without line breaks and returns the end position. Allocates nothing per line break, because a text may
 * consist only of line breaks.
 */
export function copyWithoutBreaks(bytes: Buffer, target: { to: Buffer; at: number }): number {
  const { to } = target;
  let end = target.at;
  // Use an index loop, because an iterator is several times slower.
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === 10 || byte === 13) continue;
    to[end] = byte;
    end += 1;
  }
  return end;
}

const blockLength = 64;

/** Returns, for each block of the text, the number of characters before it that are not line breaks. */
function countBlocks(text: string): Uint32Array {
  const counts = new Uint32Array(Math.ceil(text.length / blockLength));
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (index % blockLength === 0) counts[index / blockLength] = count;
    if (!isBreak(text, index)) count += 1;
  }
  return counts;
}

/** Converts `wanted`, an index in the text without line breaks, to the index of the same character in `text`. */
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

/** Sorts spans and merges overlaps. Adjacent spans stay separate. */
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
    ...jsonForms(trimmed),
    ...urlForms(trimmed),
    ...[hex, hex.toUpperCase(), ...base64Forms(bytes)].filter(
      (form) => form.length >= minEncodedLength,
    ),
  ];
  return forms.map((form) => form.replaceAll(/[\r\n]/g, ""));
}

/** Some programs also escape `/` in JSON. */
function jsonForms(secret: string): string[] {
  const encoded = JSON.stringify(secret).slice(1, -1);
  return [encoded, encoded.replaceAll("/", String.raw`\/`)];
}

/** Programs differ in the characters that they encode in a URL, in `+` for a space, and in the case of hex digits. */
function urlForms(secret: string): string[] {
  const whole = encodeURIComponent(secret);
  const inForm = new URLSearchParams([["", secret]]).toString().slice("=".length);
  const forms = [whole, inForm, whole.replaceAll("%2F", "/"), encodeURI(secret)];
  return forms.flatMap((form) => [
    form,
    form.replaceAll(/%[\dA-F]{2}/g, (escaped) => escaped.toLowerCase()),
  ]);
}

/**
 * Returns the base64 characters by which a secret can be found in a longer base64 text. Base64 encodes groups of three
 * bytes, so there are three cases: the secret starts at the first, second or third byte of a group. Characters that
 * also depend on the bytes around the secret are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    // The first form finds the secret in the middle of an encoded text. The other two find it at the end of the text,
    // with and without padding (`=`): there, the last base64 character depends only on the secret.
    const forms = [
      encoded.slice(start, end),
      encoded.slice(start),
      encoded.slice(start).replace(/=+$/, ""),
    ];
    return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
  });
}
