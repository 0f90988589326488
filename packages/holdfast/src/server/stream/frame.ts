/** Encodes one message of an event stream, once for all readers. */
export function frame(message: { id?: string; event: string; data: unknown }): Buffer {
  const id = message.id === undefined ? "" : `id: ${message.id}\n`;
  // JSON text has no line breaks, so the data is one line.
  return Buffer.from(`${id}event: ${message.event}\ndata: ${JSON.stringify(message.data)}\n\n`);
}

/** Sets the position from which a browser resumes, without sending an event. */
export function placeFrame(id: string): Buffer {
  return Buffer.from(`id: ${id}\n\n`);
}

/** A comment that keeps idle connections alive. */
export const heartbeat: Buffer = Buffer.from(": still here\n\n");
