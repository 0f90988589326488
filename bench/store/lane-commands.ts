import type { RunHandle } from "../../packages/holdfast/src/kernel/command.ts";
import type { Actor } from "../../packages/holdfast/src/kernel/event.ts";
import { noUsage } from "../../packages/holdfast/src/kernel/state.ts";
import type { Done } from "../../packages/holdfast/src/kernel/transaction.ts";
import { acceptRequest } from "../../packages/holdfast/src/runner/prompt.ts";
import { makeBody } from "../../packages/holdfast/src/store/body.ts";
import type { Store, StoreRequest } from "../../packages/holdfast/src/store/store.ts";

// Functions that send commands for one session directly to a store, without the runner. Ids are unique within the
// process.

const actor: Actor = { kind: "client", id: "bench" };
const owner = "bench-node";
const answer = makeBody(JSON.stringify({ text: "done", calls: [], extra: null }));
let lastId = 0;

export function newId(kind: string): string {
  return `${kind}-${(lastId += 1)}`;
}

export async function createSession(store: Store, sessionId = newId("session")): Promise<string> {
  const contentHash = makeBody(sessionId).hash;
  const create = {
    type: "session.create",
    parent: null,
    budget: null,
    opensStep: false,
    origin: null,
  } as const;
  const directory = "/projects/bench";
  await send(store, { command: { ...create, sessionId, contentHash, directory, actor } });
  return sessionId;
}

/** A unique prompt of ordinary length. */
export function promptRequest(sessionId: string, options: { reply?: boolean } = {}): StoreRequest {
  const promptId = newId("prompt");
  const limits = { maxQueue: 10_000, maxBytes: 1_000_000, draining: false };
  const text = `${promptId}: ${"please look at the failing test and mend it; ".repeat(5)}`;
  return acceptRequest({ sessionId, promptId, text, actor, ...options }, { limits });
}

export async function send(store: Store, request: StoreRequest): Promise<Done> {
  const answered = await store.execute(request);
  if (answered.status === "done") return answered;
  throw new Error(`${request.command.type} was refused: ${answered.refusal.message}`);
}

/**
 * Registers the benchmark as a node of the store. The registration is valid for an hour, longer than every benchmark.
 */
export async function joinBench(store: Store): Promise<void> {
  await store.join({ nodeId: owner, ttl: 3_600_000 });
}

/** Starts and ends a run, which settles the first queued prompt. */
export async function settle(store: Store, sessionId: string): Promise<void> {
  await endRun(store, sessionId, await startRun(store, sessionId));
}

/** Sends the commits of a run with one step: start, step, answer and end. */
export async function settleInOneStep(store: Store, sessionId: string): Promise<void> {
  const handle = await startRun(store, sessionId);
  await send(store, { command: { type: "run.boundary", sessionId, actor, handle } });
  const step = {
    type: "step.answer",
    calls: [],
    usage: noUsage,
    interrupted: false,
    completes: null,
  } as const;
  await send(store, {
    command: { ...step, sessionId, actor, handle, body: answer.hash },
    bodies: [answer],
  });
  await endRun(store, sessionId, handle);
}

/** Cancels the queue, so that it does not grow during the benchmark. */
export async function clearQueue(store: Store, sessionId: string): Promise<void> {
  const cancel = { type: "cancel", scope: { kind: "queue" }, reason: null } as const;
  await send(store, { command: { ...cancel, sessionId, cancelId: newId("cancel"), actor } });
}

export async function archive(store: Store, sessionId: string): Promise<void> {
  await send(store, { command: { type: "session.archive", sessionId, archived: true, actor } });
}

/** Holds a session, so that its queued prompts wait. */
export async function hold(store: Store, sessionId: string): Promise<void> {
  const holdId = newId("hold");
  await send(store, {
    command: { type: "hold.place", sessionId, holdId, reason: "a break", actor },
  });
}

export async function startRun(store: Store, sessionId: string): Promise<RunHandle> {
  const start = {
    type: "run.start",
    maxSteps: 100,
    stopGrace: 5000,
    budget: null,
    opensStep: false,
  } as const;
  const runId = newId("run");
  const { state } = await send(store, {
    command: { ...start, sessionId, runId, owner, generation: null, actor },
  });
  return { runId, fence: state.fence, attempt: 1 };
}

export async function endRun(store: Store, sessionId: string, handle: RunHandle): Promise<void> {
  const outcome = { status: "completed", reason: null, result: answer.hash } as const;
  const end = { type: "run.end", hold: null, outcome } as const;
  await send(store, { command: { ...end, sessionId, handle, actor }, bodies: [answer] });
}
