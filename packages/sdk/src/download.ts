import { limited } from "./limited.ts";
import { answered } from "./transport.ts";
import type { CallOptions, Outgoing, Transport } from "./transport.ts";

/** Yields a long text in chunks. Throws `Unreachable` if the connection is lost. */
export async function* downloadText(
  transport: Transport,
  outgoing: Pick<Outgoing, "path" | "params" | "accept">,
  options: CallOptions,
): AsyncGenerator<string> {
  const { timing, tryTimeout: timeout, url } = transport.options;
  const { signal } = options;
  const body = await transport.send({ ...outgoing, method: "GET" }, { ...options, read: bodyOf });
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await limited(timing, { signal, timeout }, () =>
        answered(url, () => reader.read()),
      );
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (text !== "") yield text;
      if (done) return;
    }
  } finally {
    // The download has ended or failed already; the caller has that result.
    reader.cancel().catch(() => {});
  }
}

async function bodyOf({ body }: Response): Promise<Response["body"]> {
  return body;
}
