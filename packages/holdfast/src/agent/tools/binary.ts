interface Kind {
  readonly text: string;
  readonly image: boolean;
}

const kinds: readonly { readonly start: readonly number[]; readonly kind: Kind }[] = [
  { start: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], kind: { text: "a PNG image", image: true } },
  { start: [0xff, 0xd8, 0xff], kind: { text: "a JPEG image", image: true } },
  { start: [0x47, 0x49, 0x46, 0x38], kind: { text: "a GIF image", image: true } },
  { start: [0x25, 0x50, 0x44, 0x46, 0x2d], kind: { text: "a PDF document", image: false } },
  { start: [0x50, 0x4b, 0x03, 0x04], kind: { text: "a ZIP archive", image: false } },
  { start: [0x1f, 0x8b], kind: { text: "gzip data", image: false } },
  { start: [0x7f, 0x45, 0x4c, 0x46], kind: { text: "a program", image: false } },
  { start: [0xff, 0xfe], kind: { text: "a text in UTF-16", image: false } },
  { start: [0xfe, 0xff], kind: { text: "a text in UTF-16", image: false } },
];

/** What a file is, by its first bytes, when it is known not to be plain text. */
export function describeBinary(head: Buffer): Kind | null {
  const found = kinds.find(({ start }) => start.every((byte, index) => head[index] === byte));
  if (found === undefined) return isWebp(head) ? { text: "a WebP image", image: true } : null;
  const { kind } = found;
  if (kind.text !== "a PNG image" || head.length < 24) return kind;
  return {
    ...kind,
    text: `a PNG image of ${head.readUInt32BE(16)} x ${head.readUInt32BE(20)} pixels`,
  };
}

function isWebp(head: Buffer): boolean {
  return head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
}
