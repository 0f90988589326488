/** Keeps responses alive: an unread body is cancelled when its response is garbage collected. */
const responses = new WeakMap<ReadableStream<Uint8Array>, Response>();

/** The body of an event stream, which can be read later. */
export function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (!response.ok || response.body === null) {
    throw new Error(`expected an event stream, got status ${response.status}`);
  }
  responses.set(response.body, response);
  return response.body;
}

/** Complete frames of an event stream, each as its lines. */
export async function* eventFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const frames = rest.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) yield frame.split("\n");
  }
}

/** Value of a field of a frame; null if missing. */
export function fieldOf(lines: readonly string[], name: string): string | null {
  const line = lines.find((candidate) => candidate.startsWith(`${name}:`));
  return line === undefined ? null : line.slice(name.length + 1).trimStart();
}
