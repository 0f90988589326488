/**
 * Adds a listener to a set and returns a function that removes it. The same function may be added twice; each
 * registration is removed separately.
 */
export function addListener<Args extends readonly unknown[]>(
  listeners: Set<(...args: Args) => void>,
  listener: (...args: Args) => void,
): () => void {
  const own = (...args: Args): void => listener(...args);
  listeners.add(own);
  return () => void listeners.delete(own);
}
