import { once } from "node:events";
import { connect } from "node:net";

/** A WebSocket client that reads only on request, so that tests can simulate a slow client. */
export interface WebSocketLine {
  readonly send: (text: string) => void;
  /** The next message; null at the end. */
  next(): Promise<string | null>;
  /** Returns all bytes of the connection after the last read message, without decoding them. */
  bytes(): AsyncGenerator<Uint8Array>;
  close(): void;
}

const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

export async function openWebSocket(address: string): Promise<WebSocketLine> {
  const { hostname, port, pathname, host } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  await once(socket, "connect");
  const chunks: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  let heard: Buffer = Buffer.alloc(0);
  /** Waits for more data; false at the end. */
  const hear = async (): Promise<boolean> => {
    try {
      const { value, done } = await chunks.next();
      if (done === true) return false;
      heard = Buffer.concat([heard, value]);
      return true;
    } catch {
      return false;
    }
  };
  const write = (opcode: number, payload: Buffer): void =>
    void socket.write(frame(opcode, payload));
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${Buffer.alloc(16, 7).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  while (!heard.includes("\r\n\r\n")) if (!(await hear())) break;
  const end = heard.indexOf("\r\n\r\n");
  if (!heard.subarray(0, end).toString().startsWith("HTTP/1.1 101")) {
    socket.destroy();
    throw new Error(`${address} refused the WebSocket: ${heard.subarray(0, end).toString()}`);
  }
  heard = heard.subarray(end + 4);
  let pieces: Buffer[] = [];
  return {
    send: (text) => write(opcodes.text, Buffer.from(text)),
    next: async () => {
      for (;;) {
        const read = readFrame(heard);
        if (read === null) {
          if (!(await hear())) return null;
          continue;
        }
        heard = heard.subarray(read.length);
        if (read.opcode === opcodes.close) return null;
        if (read.opcode === opcodes.ping) write(opcodes.pong, read.payload);
        if (read.opcode > opcodes.text) continue;
        pieces.push(read.payload);
        if (!read.isLast) continue;
        const text = Buffer.concat(pieces).toString();
        pieces = [];
        return text;
      }
    },
    bytes: async function* bytes() {
      do {
        yield heard;
        heard = Buffer.alloc(0);
      } while (await hear());
    },
    close: () => void socket.destroy(),
  };
}

/** Client frames must be masked. A mask of zeros leaves the payload unchanged. */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  return Buffer.concat([head.subarray(0, size), Buffer.alloc(4), payload]);
}

/** Reads one frame. Returns null if the frame is incomplete. */
function readFrame(
  heard: Buffer,
): { opcode: number; isLast: boolean; payload: Buffer; length: number } | null {
  const [first = 0, second = 0] = heard;
  const short = second & 0x7f;
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (heard.length < head) return null;
  const size =
    short < 126 ? short : short === 126 ? heard.readUInt16BE(2) : Number(heard.readBigUInt64BE(2));
  if (heard.length < head + size) return null;
  return {
    opcode: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    payload: heard.subarray(head, head + size),
    length: head + size,
  };
}
