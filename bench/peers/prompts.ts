import { setTimeout as delay } from "node:timers/promises";
import { median } from "../measure/statistics.ts";
import { longWords, now } from "./clock.ts";
import type { Model, Peer } from "./peer.ts";

export interface PromptTimes {
  /** Milliseconds from submit to end of each prompt, in order. */
  readonly took: readonly number[];
  /** Milliseconds from submit until the prompt reached the model. */
  readonly toModel: readonly number[];
}

/**
 * Sends prompts alternately to the compared products, in one session per product. For a null entry, calls the model
 * directly.
 */
export async function timePrompts(
  peers: readonly (Peer | null)[],
  options: { model: Model; prompts: number; long?: boolean },
): Promise<ReadonlyMap<Peer | null, PromptTimes>> {
  const { model, prompts, long = false } = options;
  const sessions = new Map<Peer, string>();
  const sent = new Map<string, { peer: Peer | null; at: number; took: number }>();
  let last = 0;
  for (const peer of peers) {
    if (peer === null) continue;
    const sessionId = await peer.running.createSession();
    sessions.set(peer, sessionId);
    // Warm-up: the first prompt opens the project and generates the title of its session.
    await peer.running.ask(sessionId, "go on");
  }
  await model.ask("arrivals");
  for (let index = 0; index < prompts; index += 1) {
    for (const peer of inOrder(peers, index)) {
      last += 1;
      const mark = `#${last}`;
      const text = `${long ? longWords : "go on"} ${mark}`;
      const at = now();
      if (peer === null) await bareCall(model, text);
      else await peer.running.ask(sessions.get(peer) ?? "", text);
      sent.set(mark, { peer, at, took: now() - at });
      await delay(pause);
    }
  }
  const arrivals = await model.ask<Record<string, number>>("arrivals");
  return new Map(
    peers.map((peer) => {
      const own = [...sent].filter(([, entry]) => entry.peer === peer);
      const toModel = own.map(([mark, { at }]) => (arrivals[mark] ?? Number.NaN) - at);
      return [peer, { took: own.map(([, { took }]) => took), toModel }];
    }),
  );
}

/** Pause in milliseconds after each prompt, so that cleanup does not slow down the next one. */
const pause = 50;

/** Rotates the order in each round, and reverses it in every second round. */
function inOrder<Each>(all: readonly Each[], round: number): readonly Each[] {
  const first = Math.floor(round / 2) % all.length;
  const order = [...all.slice(first), ...all.slice(0, first)];
  return round % 2 === 0 ? order : order.toReversed();
}

/** Measures a prompt that is sent directly to the model server, without any product in between. */
async function bareCall({ ready }: Model, text: string): Promise<void> {
  const tool = { type: "function", function: { name: "none", parameters: { type: "object" } } };
  const response = await fetch(`${ready}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ messages: [{ role: "user", content: text }], tools: [tool] }),
  });
  await response.text();
}

/**
 * Uses many sessions in parallel and sends prompts in sequence to each. Returns prompts per second and peak memory.
 */
export async function driveSessions(
  peer: Peer,
  options: { sessions: number; prompts: number },
): Promise<{ perSecond: number; peakMb: number }> {
  const { sessions, prompts } = options;
  const ids: string[] = [];
  for (let index = 0; index < sessions; index += 1) ids.push(await peer.running.createSession());
  let peakMb = peer.memory();
  const sampler = setInterval(() => (peakMb = Math.max(peakMb, peer.memory())), 100);
  const begin = now();
  try {
    await Promise.all(
      ids.map(async (sessionId) => {
        for (let index = 0; index < prompts; index += 1) {
          const ending = await peer.running.ask(sessionId, "go on");
          if (ending !== "completed") throw new Error(`${peer.name}: a prompt ended as ${ending}`);
        }
      }),
    );
  } finally {
    clearInterval(sampler);
  }
  const perSecond = (sessions * prompts * 1000) / (now() - begin);
  return { perSecond, peakMb: Math.max(peakMb, peer.memory()) };
}

/** Returns the milliseconds from the submit of a long prompt until every subscriber has seen its end. */
export async function fanOut(peer: Peer, subscribers: number): Promise<number> {
  const sessionId = await peer.running.createSession();
  await peer.running.ask(sessionId, "go on");
  const leave = new AbortController();
  try {
    const streams = [];
    for (let index = 0; index < subscribers; index += 1) {
      streams.push(await peer.running.watch(sessionId, leave.signal));
    }
    const live = Promise.withResolvers<void>();
    let waiting = subscribers;
    const asked = { at: Number.POSITIVE_INFINITY };
    const readers = streams.map(async ({ body, end }) => {
      const decoder = new TextDecoder("latin1");
      let tail = "";
      let isFirst = true;
      for await (const chunk of body) {
        if (isFirst && (waiting -= 1) === 0) live.resolve();
        isFirst = false;
        const text = tail + decoder.decode(chunk);
        // Ignore history that was sent before the prompt.
        if (now() > asked.at && text.includes(end)) return;
        tail = text.slice(-end.length);
      }
      throw new Error("the event stream ended before the prompt");
    });
    await live.promise;
    asked.at = now();
    await peer.running.submit(sessionId, { text: longWords });
    await Promise.all(readers);
    return now() - asked.at;
  } finally {
    leave.abort();
  }
}

export function middle(values: readonly number[]): number {
  return median(values.filter((value) => !Number.isNaN(value)));
}
