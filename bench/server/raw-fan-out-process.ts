import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { beChild, takeJob } from "./child-side.ts";
import type { FanOutReady } from "./fan-out-process.ts";

// A server that forwards events at the lowest possible cost: it encodes once and writes once for each reader.

export interface RawFanOutJob {
  /** Frames of the events, as the Holdfast server sends them. */
  readonly frames: readonly string[];
}

const { frames } = await takeJob<RawFanOutJob>();
const events = frames.map((frame) => {
  const [id, event, data] = frame.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
  const parsed: unknown = JSON.parse(data ?? "null");
  return { id, event, data: parsed };
});
const readers = new Set<ServerResponse>();
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  readers.add(response);
  response.once("close", () => readers.delete(response));
});

/** Waits until every reader has buffer space, so that the buffer of a slow reader does not grow without limit. */
async function room(): Promise<void> {
  for (const reader of readers) {
    if (!reader.writableNeedDrain) continue;
    await new Promise((resolve) => {
      reader.once("drain", resolve);
    });
  }
}

server.listen(0, "127.0.0.1", () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  const { port } = server.address() as AddressInfo;
  const ready: FanOutReady = { url: `http://127.0.0.1:${port}/` };
  beChild({
    ready,
    answers: {
      subscribers: () => readers.size,
      stream: async () => {
        for (const { id, event, data } of events) {
          const frame = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
          const bytes = Buffer.from(frame);
          for (const reader of readers) reader.write(bytes);
          await room();
          await new Promise(setImmediate);
        }
        return events.length;
      },
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
});
