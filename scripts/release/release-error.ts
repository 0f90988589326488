/** A failed check of a release. The message says what is wrong and how to fix it. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
}
