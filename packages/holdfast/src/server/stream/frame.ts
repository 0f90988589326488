/** One message of an event stream, as it goes over the wire; encoded once, whoever reads it. */
export function frame(message: { id?: string; event: string; data: unknown }): Buffer {
  const id = message.id === undefined ? "" : `id: ${message.id}\n`;
  // JSON has no line breaks of its own, so the data is one line.
  return Buffer.from(`${id}event: ${message.event}\ndata: ${JSON.stringify(message.data)}\n\n`);
}

/** No message: it moves the place with which a reader comes back by itself. */
export function placeFrame(id: string): Buffer {
  return Buffer.from(`id: ${id}\n\n`);
}

/** A comment, so that a connection on which nothing happens is known to be alive. */
export const heartbeat: Buffer = Buffer.from(": still here\n\n");
