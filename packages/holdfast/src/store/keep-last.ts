/** Adds an entry as the newest one. If there are more entries than the limit, removes the oldest. */
export function keepLast<Value>(
  entries: Map<string, Value>,
  entry: { readonly key: string; readonly value: Value },
  most: number,
): void {
  const { key, value } = entry;
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= most) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
