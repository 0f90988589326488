/**
 * Reads a value from the browser's storage. Returns the fallback if there is none or it is invalid.
 */
export function readStored<Value>(name: string, fallback: Value): Value {
  try {
    const text = localStorage.getItem(`holdfast.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Reads all values whose names begin with the prefix. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the stored type
export function readAllStored<Value extends object>(prefix: string): readonly Value[] {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(`holdfast.${prefix}`));
    return names
      .map((name) => readStored<Value | null>(name.slice("holdfast.".length), null))
      .filter((value) => value !== null);
  } catch {
    return [];
  }
}

/** Stores a value; null deletes it. If storage is full or forbidden, the page works without it. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(`holdfast.${name}`);
    else localStorage.setItem(`holdfast.${name}`, JSON.stringify(value));
  } catch {
    // Ignore the error: the page works without storage.
  }
}
