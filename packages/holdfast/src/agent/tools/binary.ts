/** The type of a file that is not plain text. */
export interface BinaryKind {
  readonly text: string;
  readonly kind: "image" | "document" | "other";
  /** Media type for models. Null if no model accepts such a file. */
  readonly mediaType: string | null;
}

const kinds: readonly { readonly start: readonly number[]; readonly kind: BinaryKind }[] = [
  { start: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], kind: image("PNG", "image/png") },
  { start: [0xff, 0xd8, 0xff], kind: image("JPEG", "image/jpeg") },
  { start: [0x47, 0x49, 0x46, 0x38], kind: image("GIF", "image/gif") },
  {
    start: [0x25, 0x50, 0x44, 0x46, 0x2d],
    kind: { text: "a PDF document", kind: "document", mediaType: "application/pdf" },
  },
  { start: [0x50, 0x4b, 0x03, 0x04], kind: other("a ZIP archive") },
  { start: [0x1f, 0x8b], kind: other("gzip data") },
  { start: [0x7f, 0x45, 0x4c, 0x46], kind: other("an ELF program") },
  { start: [0xff, 0xfe], kind: other("a text in UTF-16") },
  { start: [0xfe, 0xff], kind: other("a text in UTF-16") },
];

/** Detects the type of a binary file by its first bytes. Null if it may be plain text. */
export function describeBinary(head: Buffer): BinaryKind | null {
  const found = kinds.find(({ start }) => start.every((byte, index) => head[index] === byte));
  if (found === undefined) return isWebp(head) ? image("WebP", "image/webp") : null;
  const { kind } = found;
  if (kind.mediaType !== "image/png" || head.length < 24) return kind;
  return {
    ...kind,
    text: `a PNG image of ${head.readUInt32BE(16)} x ${head.readUInt32BE(20)} pixels`,
  };
}

function image(name: string, mediaType: string): BinaryKind {
  return { text: `a ${name} image`, kind: "image", mediaType };
}

function other(text: string): BinaryKind {
  return { text, kind: "other", mediaType: null };
}

function isWebp(head: Buffer): boolean {
  return head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
}
