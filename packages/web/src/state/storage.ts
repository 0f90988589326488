/** What this browser remembers, under a name; the fallback where it remembers nothing, or nothing good. */
export function readStored<Value>(name: string, fallback: Value): Value {
  try {
    const text = localStorage.getItem(`holdfast.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Everything that is remembered under names that begin so. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as with one: whoever wrote it knows
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

/** Null forgets it. A browser that is full or forbids it keeps nothing: the page works without. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(`holdfast.${name}`);
    else localStorage.setItem(`holdfast.${name}`, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
