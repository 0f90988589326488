/** A message of the PostgreSQL protocol. */
export interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Returns a function that takes chunks of a stream and returns the messages that are complete. */
export function createFrames(): (data: Buffer) => Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const frames: Frame[] = [];
    while (rest.length >= 5) {
      const end = 1 + rest.readUInt32BE(1);
      if (rest.length < end) break;
      frames.push({ type: rest.toString("latin1", 0, 1), bytes: rest.subarray(0, end) });
      rest = rest.subarray(end);
    }
    return frames;
  };
}

export function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export function errorResponse(code: string, message: string): Buffer {
  return frame("E", Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`));
}

/** The parameters of a startup message. */
export function readStartup(message: Buffer): Record<string, string> {
  const words = message.toString("utf8", 8).split("\0");
  const pairs: [string, string][] = [];
  for (let at = 0; words[at]; at += 2) pairs.push([words[at] ?? "", words[at + 1] ?? ""]);
  return Object.fromEntries(pairs);
}
