/**
 * Merges concurrent requests for the same work, such as reading a file. Callers that arrive while the work runs share
 * its next execution, so no caller gets a stale result. Each execution uses the extra arguments of its first caller.
 */
export function shareWork<Value, Rest extends readonly unknown[] = []>(
  work: (key: string, ...rest: Rest) => Promise<Value>,
): (key: string, ...rest: Rest) => Promise<Value> {
  /** For each `key` for which `work` is running, a promise that resolves when `work` has ended. */
  const rounds = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<Value>>();
  const begin = (key: string, ...rest: Rest): Promise<Value> => {
    const result = work(key, ...rest);
    const leave = (): void => {
      if (rounds.get(key) === ended) rounds.delete(key);
    };
    const ended: Promise<void> = result.then(leave, leave);
    rounds.set(key, ended);
    return result;
  };
  return (key, ...rest) => {
    const round = rounds.get(key);
    if (round === undefined) return begin(key, ...rest);
    const known = next.get(key);
    if (known !== undefined) return known;
    const promised = round.then(() => {
      next.delete(key);
      return begin(key, ...rest);
    });
    next.set(key, promised);
    return promised;
  };
}
