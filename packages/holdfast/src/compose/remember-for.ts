/** The same answers for so many milliseconds, all of which are forgotten at once. */
export function rememberFor<Key, Value>(
  milliseconds: number,
  answer: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const known = new Map<Key, Promise<Value>>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size === 0) setTimeout(() => known.clear(), milliseconds).unref();
    const asked = answer(key);
    known.set(key, asked);
    return asked;
  };
}
