/** Yields the values of several generators as they arrive, until all have ended or one fails. */
export async function* merge<Value>(
  generators: readonly AsyncGenerator<Value>[],
): AsyncGenerator<Value> {
  const waiting = new Map(generators.map((generator) => [generator, arrivalOf(generator)]));
  while (waiting.size > 0) {
    const { generator, result } = await Promise.race(waiting.values());
    if (result.done === true) {
      waiting.delete(generator);
      continue;
    }
    yield result.value;
    waiting.set(generator, arrivalOf(generator));
  }
}

function arrivalOf<Value>(generator: AsyncGenerator<Value>): Promise<Arrival<Value>> {
  const arrival = generator.next().then((result) => ({ generator, result }));
  // No code awaits the other generators after one has failed, so ignore their errors here.
  arrival.catch(() => {});
  return arrival;
}

interface Arrival<Value> {
  readonly generator: AsyncGenerator<Value>;
  readonly result: IteratorResult<Value, unknown>;
}
