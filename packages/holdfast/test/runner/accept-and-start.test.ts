import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import type { Agent } from "../../src/agent/agent.ts";
import type { Answer } from "../../src/kernel/transaction.ts";
import { acceptAndStart } from "../../src/runner/accept-and-start.ts";
import type { PreparedStart } from "../../src/runner/claim.ts";
import { constantWorkspaces } from "../../src/workspace/workspaces.ts";
import type { Pin, Workspaces } from "../../src/workspace/workspaces.ts";
import { openSqlitePlace } from "./support/place.ts";
import type { Place } from "./support/place.ts";
import { refusalOf } from "./support/refusal.ts";

// If a session is idle and all that a run needs is loaded, one commit stores a prompt and its start.

const brief: Agent = {
  name: "brief",
  opensWithStep: true,
  async *run(context) {
    await context.boundary();
    yield { type: "answer", text: "done", last: true };
  },
};

/** Runs a first prompt to its end: the accept starts a run only in a session without an active one. */
async function settleFirst(place: Place): Promise<void> {
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "completed");
  await waitFor(() => place.first.holdfast.running().length, {
    describe: "no active run",
    until: (count) => count === 0,
  });
}

/** Types of the events in each commit of the session, from the notices of the store. */
async function commitsOf({ first }: Place, work: () => Promise<unknown>): Promise<string[][]> {
  const { store } = first;
  const ends: number[] = [];
  const stop = store.watch((signal) => {
    if (signal.kind === "lane") ends.push(signal.seq);
  });
  const from = (await store.lane("main"))?.seq ?? 0;
  await work();
  stop();
  const events = await store.events("main", { after: from, limit: 100 });
  return [from, ...ends].slice(0, -1).map((after, index) => {
    const upTo = ends[index] ?? after;
    return events.flatMap(({ seq, type }) => (seq > after && seq <= upTo ? [type] : []));
  });
}

const started = ["prompt.accepted", "run.started", "step.opened"];
const ended = ["step.answered", "prompt.settled", "run.ended"];

test("P1 L1 an idle lane's prompt is accepted and started in one commit", async (t) => {
  const place = await openSqlitePlace(t, { agent: brief });
  await settleFirst(place);
  const commits = await commitsOf(place, async () => {
    await place.prompt("b");
    assert.equal(await place.outcome("b"), "completed");
  });
  assert.deepEqual(commits, [started, ended]);
});

/** Counts the config versions in use, and gives one only when the test allows it. */
function slowWorkspaces(): Workspaces & { held(): number; slow: Promise<void> } {
  const usual = constantWorkspaces();
  let held = 0;
  return {
    ...usual,
    slow: Promise.resolve(),
    held: () => held,
    async acquire(request) {
      await this.slow;
      const pin: Pin = await usual.acquire(request);
      held += 1;
      return { ...pin, release: () => void (held -= 1) };
    },
  };
}

async function openSlowPlace(
  t: TestContext,
): Promise<Place & { workspaces: ReturnType<typeof slowWorkspaces> }> {
  const workspaces = slowWorkspaces();
  const place = await openSqlitePlace(t, { agent: brief, workspaces, maxRuns: 1 });
  await settleFirst(place);
  return { ...place, workspaces };
}

test("P1 an acknowledgement does not wait for a directory to load", async (t) => {
  const place = await openSlowPlace(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  place.workspaces.slow = promise;
  await place.prompt("b");
  assert.equal((await place.first.store.prompt("main", "b"))?.status, "queued");
  resolve();
  assert.equal(await place.outcome("b"), "completed");
  await place.first.close();
  assert.equal(place.workspaces.held(), 0);
});

test("L3 a start prepared for a refused prompt is released", async (t) => {
  const place = await openSlowPlace(t);
  const again = { sessionId: "main", promptId: "a", text: "something else" };
  assert.equal((await refusalOf(place.first.holdfast.prompt(again))).code, "conflict");
  await waitFor(() => place.workspaces.held(), {
    describe: "no held workspace",
    until: (count) => count === 0,
  });
  assert.equal(place.first.holdfast.running().length, 0);
  await place.prompt("b");
  assert.equal(await place.outcome("b"), "completed");
});

test("P3 L1 a repeated prompt starts no second run", async (t) => {
  const place = await openSlowPlace(t);
  const before = await place.types();
  await place.prompt("a");
  await waitFor(() => place.workspaces.held(), {
    describe: "no held workspace",
    until: (count) => count === 0,
  });
  assert.deepEqual(await place.types(), before);
});

test("M9 a prompt whose start was prepared when the drain began is left to others", async (t) => {
  const place = await openSlowPlace(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  place.workspaces.slow = promise;
  const sent = place.prompt("b");
  const closed = place.first.holdfast.drain();
  resolve();
  await Promise.all([sent, closed]);
  assert.equal(place.workspaces.held(), 0);
  assert.equal((await place.first.store.prompt("main", "b"))?.status, "queued");
});

test("L3 a prompt waits if its session's directory is gone", async (t) => {
  let isHere = true;
  const place = await openSqlitePlace(t, { agent: brief, isPresent: async () => isHere });
  await settleFirst(place);
  isHere = false;
  await place.prompt("b");
  assert.equal((await place.first.store.prompt("main", "b"))?.status, "queued");
  const absent = async (): Promise<unknown[]> => [...(await place.first.holdfast.status()).absent];
  const found = await waitFor(absent, {
    describe: "an absent directory",
    until: (directories) => directories.length > 0,
  });
  assert.deepEqual(found, [{ directory: "/project", waiting: 1 }]);
});

const accepted: Answer = { status: "refused", refusal: { code: "draining", message: "later" } };
const away = new Error("the store is away");

/** Sends a prompt while a start is prepared for it; `seen` lists the results of both, in order. */
function send({
  accept = () => Promise.resolve(accepted),
  start = () => Promise.resolve(null),
  foresee = (prepared) => Promise.resolve(prepared),
  isDraining = false,
}: {
  accept?: () => Promise<Answer>;
  start?: () => Promise<null>;
  foresee?: (prepared: PreparedStart) => Promise<PreparedStart | null>;
  isDraining?: boolean;
}): { seen: unknown[]; answer: Promise<Answer>; claim: Promise<unknown> } {
  const seen: unknown[] = [];
  const told = <T>(what: string, act: () => T): T => {
    seen.push(what);
    return act();
  };
  const sent = acceptAndStart(
    { command: { type: "lane.tick", sessionId: "main", actor: { kind: "node", id: "node" } } },
    {
      store: { execute: () => told("accept", accept) },
      prepared: foresee({
        send: () => told("start", start),
        giveBack: () => seen.push("given back"),
      }),
      isDraining: () => isDraining,
      onError: (error) => seen.push(error),
    },
  );
  return { seen, ...sent };
}

test("P1 L1 a prompt is sent before its start, in the same tick", async () => {
  const { seen, answer, claim } = send({});
  assert.deepEqual([await answer, await claim], [accepted, null]);
  assert.deepEqual(seen, ["accept", "start"]);
});

test("P1 a prompt is accepted even if its start cannot be prepared", async () => {
  const problem = new Error("no start");
  const { seen, answer, claim } = send({ foresee: () => Promise.reject(problem) });
  assert.deepEqual([await answer, await claim], [accepted, null]);
  assert.deepEqual(seen, [problem, "accept"]);
});

test("M9 a start that is ready when the drain begins is released, and its prompt is accepted", async () => {
  const { seen, answer, claim } = send({ isDraining: true });
  assert.deepEqual([await answer, await claim], [accepted, null]);
  assert.deepEqual(seen, ["accept", "given back"]);
});

test("P1 a start that is ready too late is released, and a late failure has no effect", async () => {
  const late = Promise.withResolvers<void>();
  const given = send({ foresee: (prepared) => late.promise.then(() => prepared) });
  const failed = send({ foresee: () => late.promise.then(() => Promise.reject(away)) });
  for (const { answer, claim } of [given, failed]) {
    assert.deepEqual([await answer, await claim], [accepted, null]);
  }
  late.resolve();
  await setImmediate();
  assert.deepEqual(given.seen, ["accept", "given back"]);
  assert.deepEqual(failed.seen, ["accept"]);
});

test("P1 L3 if only the start fails, the error is reported; if the prompt fails too, the sender gets the error", async () => {
  const start = (): Promise<null> => Promise.reject(away);
  const alone = send({ start });
  assert.deepEqual(await alone.answer, accepted);
  await assert.rejects(alone.claim, away);
  const both = send({ start, accept: () => Promise.reject(away) });
  await assert.rejects(both.answer, away);
  assert.equal(await both.claim, null);
});
