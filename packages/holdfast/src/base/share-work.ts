/**
 * Work that many may ask for at the same time, such as looking at files. Who asks while it is under way
 * shares the next round with all others who do: that begins after they have asked, so nobody is answered
 * from before the question. The round takes the further arguments of whoever asked first.
 */
export function shareWork<Value, Rest extends readonly unknown[] = []>(
  work: (key: string, ...rest: Rest) => Promise<Value>,
): (key: string, ...rest: Rest) => Promise<Value> {
  /** By key: the end of the round that is under way. */
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
