import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import type { Told } from "./told.ts";

export interface Readers {
  /** Reads each log to its end, and stops. */
  finish(ends: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * Starts one reader for each session. If its node is gone, the reader continues with another node, after its last
 * event.
 */
export function startReaders(
  cluster: Cluster,
  options: { sessions: readonly string[]; told: Told; deadline: AbortSignal },
): Readers {
  const { deadline } = options;
  const ends = new Map<string, number>();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, deadline]);
  const readers = options.sessions.map((sessionId, index) => {
    const seqs: number[] = [];
    options.told.readings.push({ sessionId, seqs });
    const isDone = (): boolean => (ends.get(sessionId) ?? Infinity) <= (seqs.at(-1) ?? 0);
    const read = async (at: number): Promise<void> => {
      const node = cluster.nodes[at % cluster.nodes.length]?.address() ?? null;
      if (node === null) return;
      const { url, token } = node;
      // Sometimes switch the node anyway, because a frozen node ends no connection.
      const patience = AbortSignal.any([signal, AbortSignal.timeout(4_000)]);
      const path = `/v1/sessions/${sessionId}/events?after=${seqs.at(-1) ?? 0}`;
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(url + path, { headers, signal: patience });
      if (response.body === null || !response.ok) return;
      let text = "";
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        text += part;
        const whole = text.lastIndexOf("\n\n") + 2;
        for (const [, seq] of text.slice(0, whole).matchAll(/^id: ?(\d+)-\d+$/gm)) {
          seqs.push(Number(seq));
        }
        text = text.slice(whole);
        if (isDone()) return;
      }
    };
    return (async () => {
      for (let at = index; !signal.aborted && !isDone(); at += 1) {
        await read(at).catch(() => {});
        await delay(20);
      }
    })();
  });
  return {
    finish: async (last) => {
      for (const [sessionId, seq] of last) ends.set(sessionId, seq);
      await Promise.race([Promise.all(readers), delay(120_000, null, { ref: false })]);
      stop.abort();
      await Promise.all(readers);
    },
  };
}
