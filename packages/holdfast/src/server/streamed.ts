/** An answer that is made while it is read: at most a piece at a time is in memory. */
export async function streamed(
  pieces: AsyncIterable<string>,
  contentType: string,
): Promise<Response> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  // The first piece is made before anything is answered, so that a refusal is still one.
  let next = await iterator.next();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (next.done === true) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(next.value));
      next = await iterator.next();
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { "content-type": contentType } });
}
