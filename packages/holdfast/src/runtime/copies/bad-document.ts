/** A document that cannot be imported, with the reason. */
export class BadDocument extends Error {
  override readonly name = "BadDocument";
}
