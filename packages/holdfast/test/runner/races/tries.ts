import assert from "node:assert/strict";
import { setImmediate as nextRound } from "node:timers/promises";
import type { Agent } from "../../../src/agent/agent.ts";
import type { CommandType } from "../../../src/kernel/command.ts";
import type { Delivery } from "../../../src/kernel/event.ts";
import type { Answer } from "../../../src/kernel/transaction.ts";
import type { StoreRequest } from "../../../src/store/store.ts";
import { createRandom } from "../../store/chaos/random.ts";
import type { Random } from "../../store/chaos/random.ts";
import type { Place } from "../support/place.ts";

// Runs many sessions at once. Each has a second event at one chosen moment of its run. Around that moment every
// commit is delayed by some turns of the event loop, chosen by a seed.

/** The moment of the second prompt: just before or just after this commit of the run. */
interface Moment {
  readonly type: CommandType;
  readonly side: "before" | "after";
  readonly delivery: Delivery;
}

const moments: readonly Moment[] = (
  ["run.start", "run.boundary", "step.answer", "run.end"] as const
).flatMap((type) =>
  (["before", "after"] as const).flatMap((side) =>
    (["queue", "steer"] as const).map((delivery) => ({ type, side, delivery })),
  ),
);

/** An agent that answers each prompt in one step; a prompt to `parent` starts a background child. */
export const oneStep: Agent = {
  name: "one step",
  async *run(context) {
    await context.boundary();
    const { sessionId } = context;
    if (sessionId.startsWith("parent") && context.prompts[0]?.resultOf === null) {
      const child = { sessionId: `child-of-${sessionId}`, promptId: "job", text: "look" };
      await context.background(child);
    }
    yield { type: "answer", text: "done" };
  },
};

/** Sends a prompt at each moment around a run's end. Every prompt must get a run (L3). */
export async function promptsAroundTheEnd(
  place: Place,
  options: { tries: number; seed: number },
): Promise<void> {
  const sessions = await createSessions(place, { name: "session", count: options.tries });
  const sent = new Map<string, Promise<unknown>>();
  await shuffle(place, {
    random: createRandom(options.seed),
    around: async (request, execute) => {
      const { sessionId, type } = request.command;
      const index = sessions.indexOf(sessionId);
      const moment = moments[index % moments.length];
      if (moment === undefined || moment.type !== type || sent.has(sessionId)) return execute();
      const node = place.nodes[Math.floor(index / moments.length) % place.nodes.length];
      const second = { sessionId, promptId: "second", text: "and?", delivery: moment.delivery };
      const send = (): Promise<unknown> => untilAnswered(async () => node?.holdfast.prompt(second));
      if (moment.side === "before") {
        sent.set(sessionId, Promise.resolve());
        await send();
        return execute();
      }
      const answer = await execute();
      sent.set(sessionId, send());
      return answer;
    },
  });
  await sendFirst(place, sessions);
  await settled(place, { sessions, promptId: "first" });
  await Promise.all(sent.values());
  assert.equal(sent.size, options.tries, "each session got its second prompt");
  await settled(place, { sessions, promptId: "second" });
}

/**
 * Settles a background child at each moment around its parent's end. Each result must start a run of the parent (C7).
 */
export async function childrenAroundTheEnd(
  place: Place,
  options: { tries: number; seed: number },
): Promise<void> {
  const sessions = await createSessions(place, { name: "parent", count: options.tries });
  await shuffle(place, { random: createRandom(options.seed), around: meetAtTheEnd() });
  await sendFirst(place, sessions);
  await settled(place, { sessions, promptId: "first" });
  const children = sessions.map((sessionId) => `child-of-${sessionId}`);
  await settled(place, { sessions: children, promptId: "job" });
  await settled(place, { sessions, promptId: "result:job" });
}

type Around = (request: StoreRequest, execute: () => Promise<Answer>) => Promise<Answer>;

/** Lets a parent and its child reach their ends at the same time: the first one waits for the other. */
function meetAtTheEnd(): Around {
  const meeting = new Map<string, PromiseWithResolvers<void>>();
  return async (request, execute) => {
    const { sessionId, type } = request.command;
    const family = sessionId.replace("child-of-", "");
    if (type !== "run.end" || meeting.get(family)?.promise === over) return execute();
    const first = meeting.get(family);
    if (first === undefined) {
      const met = Promise.withResolvers<void>();
      meeting.set(family, met);
      await met.promise;
    } else {
      first.resolve();
      meeting.set(family, { ...first, promise: over });
    }
    return execute();
  };
}

const over = Promise.resolve();

async function shuffle(place: Place, schedule: { random: Random; around: Around }): Promise<void> {
  const { random, around } = schedule;
  const wander = async (): Promise<void> => {
    for (let rounds = random.below(4); rounds > 0; rounds -= 1) await nextRound();
  };
  for (const node of place.nodes) {
    await node.interfere(async (request, execute) => {
      await wander();
      const answer = await around(request, execute);
      await wander();
      return answer;
    });
  }
}

function sendFirst(place: Place, sessions: readonly string[]): Promise<unknown> {
  const { holdfast } = place.first;
  return Promise.all(
    sessions.map((sessionId) =>
      untilAnswered(() => holdfast.prompt({ sessionId, promptId: "first", text: "go" })),
    ),
  );
}

/**
 * Repeats a request under the same ids while the store is too busy to answer, as clients do (P3). Throws the store's
 * error after a minute.
 */
async function untilAnswered<T>(send: () => Promise<T>): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const isBusy = error instanceof Error && "retryable" in error && error.retryable === true;
      if (!isBusy || performance.now() > end) throw error;
    }
  }
}

async function createSessions(
  place: Place,
  wanted: { name: string; count: number },
): Promise<string[]> {
  const sessions = Array.from({ length: wanted.count }, (_, index) => `${wanted.name}-${index}`);
  await Promise.all(
    sessions.map((sessionId) =>
      untilAnswered(() =>
        place.first.holdfast.createSession({ sessionId, directory: `/project/${sessionId}` }),
      ),
    ),
  );
  return sessions;
}

async function settled(
  place: Place,
  wanted: { sessions: readonly string[]; promptId: string },
): Promise<void> {
  const { sessions, promptId } = wanted;
  const rows = await Promise.all(
    sessions.map((sessionId) => place.first.holdfast.wait({ sessionId, promptId })),
  );
  const others = rows.filter((row) => row?.outcome?.status !== "completed");
  assert.deepEqual(others, []);
}
