import type { Outcome } from "../../../src/kernel/state.ts";
import type { Store } from "../../../src/store/store.ts";
import { allSessions } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import { runAgents } from "./agents.ts";
import { createBell } from "./bell.ts";
import { plannedPrompt } from "./job.ts";
import type { Acknowledgement, ClientJob, Job } from "./job.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";
import { retrying } from "./retrying.ts";

export interface Workplace {
  readonly store: Store;
  readonly job: Job;
  readonly random: Random;
  report(acknowledgement: Acknowledgement): void;
}

/**
 * The work of one worker process: its clients send prompts and sometimes cancel, and its agents run pending lanes,
 * until all prompts are settled.
 */
export async function work(options: Omit<Workplace, "random">): Promise<void> {
  const place: Workplace = { ...options, random: createRandom(options.job.seed) };
  const { store, job } = place;
  for (let number = 0; number < job.plan.sessions; number += 1) {
    done(await retrying(() => openLane(store, `session-${number}`).create()));
  }
  await releaseKept(store);
  await store.join({ nodeId: job.nodeId, ttl: job.ttl });
  let sending = true;
  const clients = Promise.all(job.clients.map((client) => sendAll(place, client))).finally(() => {
    sending = false;
  });
  const agents = runAgents(place, async () => !sending && (await isIdle(store)));
  await Promise.all([clients, agents]);
  await store.leave(job.nodeId);
  place.report({ kind: "finished" });
}

/** Releases runs that wait for a person, even if their worker died before it asked (R1). */
async function releaseKept(store: Store): Promise<void> {
  for (const sessionId of await allSessions(store)) {
    const state = await store.lane(sessionId);
    for (const hold of state?.holds ?? []) {
      if (hold.kind !== "recovery") continue;
      await retrying(() => openLane(store, sessionId).release(hold.holdId));
    }
  }
}

async function sendAll(place: Workplace, client: ClientJob): Promise<void> {
  const { store, job, random } = place;
  const { name } = client;
  for (let index = client.next; index < client.count; index += 1) {
    const planned = plannedPrompt(name, index, job.plan);
    const { sessionId, promptId, text, delivery } = planned;
    const lane = openLane(store, sessionId);
    const send = async (): Promise<number> => {
      const answer = done(await retrying(() => lane.accept(promptId, { text, delivery })));
      return answer.prompt?.acceptSeq ?? 0;
    };
    // An impatient client sends the same prompt again before it was answered (P3).
    const sent = await Promise.all(random.chance(0.2) ? [send(), send(), send()] : [send()]);
    for (const acceptSeq of sent) {
      place.report({ kind: "accepted", client: name, index, sessionId, promptId, acceptSeq });
    }
    if (planned.cancelAfter) {
      const { receipt } = done(await retrying(() => lane.cancel(`cancel-${promptId}`)));
      if (receipt !== null) place.report({ kind: "cancelled", sessionId, receipt });
    }
    // Some clients wait for the outcome before they send the next prompt.
    if (random.chance(0.6)) {
      const outcome = await outcomeOf(store, planned);
      place.report({ kind: "settled", sessionId, promptId, outcome });
    }
  }
}

/** Waits for a prompt that was accepted: signals make it quicker, the ledger decides (P4). */
async function outcomeOf(
  store: Store,
  prompt: { sessionId: string; promptId: string },
): Promise<Outcome> {
  const bell = createBell();
  const unwatch = store.watch(() => bell.ring());
  try {
    for (;;) {
      const row = await retrying(() => store.prompt(prompt.sessionId, prompt.promptId));
      if (row === null) throw new Error(`P1: ${prompt.promptId} was acknowledged and is lost`);
      if (row.status === "settled") return row.outcome;
      await bell.wait(50);
    }
  } finally {
    unwatch();
  }
}

/** True if nothing waits or runs in any session. */
export async function isIdle(store: Store): Promise<boolean> {
  for (const sessionId of await allSessions(store)) {
    const state = await store.lane(sessionId);
    if (state !== null && (state.active !== null || state.queue.length > 0)) return false;
  }
  return true;
}
