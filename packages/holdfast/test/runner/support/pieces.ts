/** A document as a client sends it. */
export function piecesOf(document: unknown): Iterable<Uint8Array> {
  return [Buffer.from(JSON.stringify(document))];
}
