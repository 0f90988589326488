/** Encodes a message of an event stream. Each message is encoded only once, for all readers. */
export function frame(message: { id?: string; event: string; data: unknown }): Buffer {
  const id = message.id === undefined ? "" : `id: ${message.id}\n`;
  // JSON text contains no line breaks, so the data is a single line.
  return Buffer.from(`${id}event: ${message.event}\ndata: ${JSON.stringify(message.data)}\n\n`);
}

/** Builds a frame that sets the position from which a browser resumes, without an event. */
export function placeFrame(id: string): Buffer {
  return Buffer.from(`id: ${id}\n\n`);
}

/** An SSE comment that keeps idle connections open. */
export const heartbeat: Buffer = Buffer.from(": still here\n\n");
