/**
 * Creates an id with a prefix, such as "prompt". `crypto.randomUUID` is missing on a page that was loaded over plain
 * http from another machine.
 */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
