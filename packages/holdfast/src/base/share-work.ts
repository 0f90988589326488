/**
 * Shares work that many callers request at the same time, such as reading files. Callers that arrive while the work
 * runs share its next execution, so no caller gets an outdated result. Each execution uses the extra arguments of its
 * first caller.
 */
export function shareWork<Value, Rest extends readonly unknown[] = []>(
  work: (key: string, ...rest: Rest) => Promise<Value>,
): (key: string, ...rest: Rest) => Promise<Value> {
  /** The end of the current execution, by key. */
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
