/** Makes a random id. `crypto.randomUUID` is missing on pages without https. */
export function newId(kind: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  return `${kind}-${digits.join("")}`;
}
