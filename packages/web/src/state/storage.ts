/** What this browser remembers, under a name; the fallback where it remembers nothing, or nothing good. */
export function readStored<Value>(name: string, fallback: Value): Value {
  try {
    const text = localStorage.getItem(`holdfast.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Null forgets it. A browser that is full or forbids it keeps nothing: the page works without. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(`holdfast.${name}`);
    else localStorage.setItem(`holdfast.${name}`, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
