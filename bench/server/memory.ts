import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { BenchmarkOptions, Figure, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { startChild } from "./child.ts";
import type { HoldfastReady } from "./holdfast-process.ts";
import { fillStore } from "./many-sessions.ts";

/**
 * Measures the memory of a server with many sessions, then with one idle reader for each of many
 * sessions, and again after an idle time.
 */
export async function benchMemory(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const counts = options.quick
    ? { sessions: 50, readers: 10, rest: 100 }
    : // Memory is returned after 5 s without work.
      { sessions: 10_000, readers: 1_000, rest: 15_000 };
  options.progress(`memory with ${counts.sessions} sessions and ${counts.readers} idle readers`);
  const place = await engine.newPlace();
  const ids = await fillStore(place, counts.sessions);
  const server = await startChild<HoldfastReady>("holdfast-process.ts", place);
  const readers: IncomingMessage[] = [];
  try {
    const before = await server.memory();
    for (const sessionId of ids.slice(0, counts.readers)) {
      readers.push(await connect(server.ready, sessionId));
    }
    const after = await server.memory();
    await setTimeout(counts.rest);
    const atRest = await server.memoryNow();
    const group = "memory";
    const perReader = ((after.heapMb - before.heapMb) * 1024) / counts.readers;
    const rssPerReader = ((after.rssMb - before.rssMb) * 1024) / counts.readers;
    const figures: Figure[] = [
      {
        engine: engine.name,
        group,
        name: `${shown(counts.sessions)} sessions on disk`,
        values: { ...before },
        ratios: [],
      },
      {
        engine: engine.name,
        group,
        name: `and ${shown(counts.readers)} idle readers`,
        values: { ...after, heapPerReaderKb: perReader, rssPerReaderKb: rssPerReader },
        ratios: [],
      },
      {
        engine: engine.name,
        group,
        name: `after ${counts.rest / 1000} s at rest`,
        values: { ...atRest },
        ratios: [],
      },
    ];
    return { figures, targets: [] };
  } finally {
    for (const reader of readers) reader.destroy();
    await server.stop();
  }
}

function shown(count: number): string {
  return count.toLocaleString("en-US");
}

/** Opens an event stream. Resolves when the stream has sent all existing events and waits for new ones. */
function connect({ url, token }: HoldfastReady, sessionId: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const address = `${url}/v1/sessions/${sessionId}/events`;
    const request = get(address, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`a stream was answered ${response.statusCode}`));
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text = text.slice(-20) + piece;
        if (text.includes("event: live")) resolve(response);
      });
    });
    request.on("error", reject);
  });
}
