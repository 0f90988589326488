import type { ModelPart } from "./model.ts";

/**
 * The same parts, with pieces of text that arrive in one breath put together: an answer comes in
 * thousands of them, and each that is passed on has a long way to go. Nothing waits for more.
 */
export async function* gather(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart> {
  const iterator = parts[Symbol.asyncIterator]();
  const take = (): Promise<IteratorResult<ModelPart>> => {
    const next = iterator.next();
    // The reader gets a failure when it waits for this part.
    next.catch(() => {});
    return next;
  };
  try {
    let next = take();
    for (;;) {
      const { done, value: part } = await next;
      if (done === true) return;
      next = take();
      if (part.type === "call" || part.type === "end") {
        yield part;
        continue;
      }
      const { type } = part;
      let { text } = part;
      const breath = new Promise<null>((resolve) => setImmediate(resolve, null));
      for (;;) {
        const more = await Promise.race([next, breath]).catch(() => null);
        if (more === null || more.done === true || more.value.type !== type) break;
        text += more.value.text;
        next = take();
      }
      yield { type, text };
    }
  } finally {
    await iterator.return?.();
  }
}
