import type { RecordWrite } from "./store.ts";

const keyPattern = /^[A-Za-z0-9._:@+=~-]{1,200}$/;

/** Serializes a record's value. Records come from our own code, so a bad one is a bug and throws. */
export function recordText({ kind, id, value }: RecordWrite): string {
  for (const key of [kind, id]) {
    if (!keyPattern.test(key)) {
      throw new RangeError(
        `"${key}" is not a valid kind or id of a record; it must match ${keyPattern.source}`,
      );
    }
  }
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`the value of ${kind} ${id} is not JSON`);
  return text;
}
