import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { waitFor } from "../support/wait-for.ts";
import type { Agent } from "../../src/agent/agent.ts";
import type { Answer } from "../../src/kernel/transaction.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { constantWorkspaces } from "../../src/workspace/workspaces.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

// While the accept of a prompt also starts its run, the session counts as claimed, like in any other claim.

interface Fixture {
  readonly holdfast: Runtime;
  readonly errors: unknown[];
  /** How often this has been called so far. */
  readonly calls: { acquire: number; lane: number; renew: number };
  /** Replaces the next start. */
  aroundStart: (start: () => Promise<Answer>) => Promise<Answer>;
  /** Runs when an answer is committed, before the runner knows of it. */
  afterAnswer: () => Promise<void>;
  readonly prompt: (promptId: string) => Promise<void>;
  readonly outcome: (promptId: string) => Promise<string | undefined>;
  readonly types: () => Promise<string[]>;
}

/** The runner never polls. */
async function openFixture(t: TestContext, renewEvery = 300_000): Promise<Fixture> {
  const store = await openSqliteStore({ file: databaseFile(t) });
  const calls = { acquire: 0, lane: 0, renew: 0 };
  const counted: Store = {
    ...store,
    lane: (id) => {
      calls.lane += 1;
      return store.lane(id);
    },
    renew: (id) => {
      calls.renew += 1;
      return store.renew(id);
    },
    execute: async (request) => {
      const execute = (): Promise<Answer> => store.execute(request);
      if (request.command.type === "step.answer") {
        const answer = await execute();
        await fixture.afterAnswer();
        return answer;
      }
      if (request.command.type !== "run.start") return execute();
      const { aroundStart } = fixture;
      fixture.aroundStart = plainly;
      return aroundStart(execute);
    },
  };
  const usual = constantWorkspaces();
  const agent: Agent = {
    name: "brief",
    opensWithStep: true,
    async *run(context) {
      await context.boundary();
      yield { type: "answer", text: "done", last: true };
    },
  };
  const errors: unknown[] = [];
  const holdfast = await createRuntime({
    store: counted,
    agent,
    workspaces: {
      ...usual,
      acquire: (request) => {
        calls.acquire += 1;
        return usual.acquire(request);
      },
    },
    titles: false,
    pollEvery: 600_000,
    leaseTtl: 600_000,
    renewEvery,
    onError: (error) => errors.push(error),
  });
  t.after(() => holdfast.close().then(() => store.close()));
  await holdfast.createSession({ sessionId: "main", directory: "/project" });
  const fixture: Fixture = {
    holdfast,
    errors,
    calls,
    aroundStart: plainly,
    afterAnswer: async () => {},
    prompt: async (promptId) => {
      await holdfast.prompt({ sessionId: "main", promptId, text: "go" });
    },
    outcome: async (promptId) =>
      (await holdfast.wait({ sessionId: "main", promptId }))?.outcome?.status,
    types: async () =>
      (await store.events("main", { after: null, limit: 100 })).map(({ type }) => type),
  };
  return fixture;
}

const plainly: Fixture["aroundStart"] = (start) => start();

/** The start is committed at once, but its response is delayed until the test releases it. */
function answerLater(fixture: Fixture): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  fixture.aroundStart = async (start) => {
    const answer = await start();
    await promise;
    return answer;
  };
  return resolve;
}

test("L3 no start is prepared for a label, a held lane or a second prompt", async (t) => {
  const { holdfast, calls, prompt, outcome } = await openFixture(t);
  const acquired = async (act: () => Promise<unknown>): Promise<number> => {
    const before = calls.acquire;
    await act();
    await setImmediate();
    return calls.acquire - before;
  };
  const sessionId = "main";
  const holdId = "h1";
  const counts = [
    await acquired(() => holdfast.renameSession({ sessionId, title: "Named" })),
    await acquired(() => holdfast.placeHold({ sessionId, holdId, reason: "not yet" })),
    await acquired(() => prompt("a")),
    await acquired(async () => {
      await holdfast.releaseHold({ sessionId, holdId });
      await outcome("a");
    }),
    await acquired(async () => {
      await Promise.all([prompt("b"), prompt("c")]);
      await Promise.all([outcome("b"), outcome("c")]);
    }),
  ];
  assert.deepEqual(counts, [0, 0, 0, 1, 2]);
});

test("L1 a prompt between the commit of a run's end and the end of its execution starts afterwards", async (t) => {
  const fixture = await openFixture(t);
  const { holdfast, prompt, outcome } = fixture;
  const seen: unknown[] = [];
  fixture.afterAnswer = async () => {
    fixture.afterAnswer = async () => {};
    seen.push(await outcome("a"));
    await prompt("b");
    seen.push((await holdfast.store.prompt("main", "b"))?.status);
  };
  await prompt("a");
  await outcome("a");
  const sent = await waitFor(() => holdfast.store.prompt("main", "b"), {
    describe: "prompt b",
    until: (row) => row?.status === "settled",
  });
  assert.equal(sent?.outcome?.status, "completed");
  assert.deepEqual(seen, ["completed", "queued"]);
});

test("L5 a renewal does not give up a run whose start is committed but not yet answered", async (t) => {
  const fixture = await openFixture(t, 1);
  const answer = answerLater(fixture);
  await fixture.prompt("a");
  await waitFor(() => fixture.types(), {
    describe: "a started run",
    until: (types) => types.includes("run.started"),
  });
  const { renew } = fixture.calls;
  await waitFor(() => fixture.calls.renew, {
    describe: "three renewals",
    until: (count) => count > renew + 2,
  });
  answer();
  assert.equal(await fixture.outcome("a"), "completed");
  assert.equal((await fixture.types()).includes("run.handedOver"), false);
});

test("L3 S4 a failed start is tried again, because a signal about the accept arrived meanwhile", async (t) => {
  const fixture = await openFixture(t);
  const { errors } = fixture;
  const away = new Error("the store is away");
  fixture.aroundStart = async () => {
    await setImmediate();
    throw away;
  };
  await fixture.prompt("a");
  assert.equal(await fixture.outcome("a"), "completed");
  assert.deepEqual(errors, [away]);
});

test("M9 a drain waits for a start in progress and hands its run over", async (t) => {
  const fixture = await openFixture(t);
  const { holdfast } = fixture;
  const answer = answerLater(fixture);
  await fixture.prompt("a");
  await waitFor(() => fixture.types(), {
    describe: "a started run",
    until: (types) => types.includes("run.started"),
  });
  let isDrained = false;
  const drained = holdfast.drain({ deadline: 0 }).then(() => (isDrained = true));
  for (let round = 0; round < 50; round += 1) await setImmediate();
  assert.equal(isDrained, false);
  answer();
  await drained;
  const active = (await holdfast.store.lane("main"))?.active ?? null;
  assert.equal(active?.owner ?? null, null);
});
