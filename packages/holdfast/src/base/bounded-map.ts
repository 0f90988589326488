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
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.size > size ? entries : [];
      if (oldest === undefined) return;
      entries.delete(oldest[0]);
      onForgotten(oldest[1]);
    },
    take: (key) => {
      const value = get(key);
      entries.delete(key);
      return value;
    },
  };
}
