/** A map with a maximum size that drops the oldest entries. */
export interface BoundedMap<Key, Value> {
  set(key: Key, value: Value): void;
  get(key: Key): Value | null;
  /** Removes and returns the value. */
  take(key: Key): Value | null;
}

export function createBoundedMap<Key, Value>(
  size: number,
  onForgotten: (value: Value) => void = () => {},
): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>();
  const get = (key: Key): Value | null => entries.get(key) ?? null;
  return {
    get,
    set: (key, value) => {
      const forgotten = keepLast(entries, { key, value }, size);
      if (forgotten !== undefined) onForgotten(forgotten);
    },
    take: (key) => {
      const value = get(key);
      entries.delete(key);
      return value;
    },
  };
}

/** Adds an entry as the newest one. If there are more entries than the limit, removes the oldest and returns its value. */
export function keepLast<Key, Value>(
  entries: Map<Key, Value>,
  { key, value }: { readonly key: Key; readonly value: Value },
  most: number,
): Value | undefined {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= most) return undefined;
  const [oldest] = entries;
  if (oldest === undefined) return undefined;
  entries.delete(oldest[0]);
  return oldest[1];
}
