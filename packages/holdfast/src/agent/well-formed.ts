/**
 * The same value without halves of characters in its texts: where a text is cut one may stay behind, a
 * tool or a person may send one, and a provider refuses the whole request that has it, now and later.
 */
export function wellFormed<Value>(value: Value): Value;
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item) => wellFormed(item));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  );
}
