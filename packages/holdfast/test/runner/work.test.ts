import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkHandler } from "../../src/runner/work-handler.ts";
import { WorkFailure } from "../../src/runner/work-handler.ts";
import { createStoreClock } from "./support/store-clock.ts";
import { openSqlitePlace } from "./support/place.ts";
import type { Place } from "./support/place.ts";
import { createWorkbench } from "./support/workbench.ts";

// Exclusive operations, during which no run starts: any process may do them, and they always end.

const sessionId = "main";

function workEvents(place: Place): Promise<string[]> {
  return place.types().then((types) => types.filter((type) => /^(?:work|run)\./.test(type)));
}

test("M8 an exclusive operation waits in the queue, blocks runs while it is active, and reports its result", async (t) => {
  const bench = createWorkbench();
  const place = await openSqlitePlace(t, { works: { tidy: bench.handler } });
  const { holdfast } = place.first;
  const run = await place.openRun("a");
  const actor = { kind: "client", id: "anna" } as const;
  const queued = await holdfast.queueWork({
    sessionId,
    workId: "w1",
    name: "tidy",
    input: { deep: true },
    actor,
  });
  await place.prompt("b");
  await run.finish();
  const piece = await bench.next();
  assert.deepEqual(
    [piece.context.input, piece.context.actor, place.puppets.begun],
    [{ deep: true }, actor, ["a"]],
  );
  piece.end({ tidied: 3 });
  const ended = await holdfast.waitWork({ sessionId, workId: "w1" });
  assert.deepEqual(ended, {
    ...queued,
    status: "ended",
    cause: "done",
    result: { status: "completed", value: { tidied: 3 } },
    startedAt: ended?.startedAt,
    endedAt: ended?.endedAt,
  });
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["a", "b"]), ["completed", "completed"]);
  assert.deepEqual(await workEvents(place), [
    "run.started",
    "work.queued",
    "run.ended",
    "work.started",
    "work.ended",
    "run.started",
    "run.ended",
  ]);
  const again = await holdfast.queueWork({
    sessionId,
    workId: "w1",
    name: "tidy",
    input: { deep: true },
    actor,
  });
  assert.deepEqual(again, ended, "the same id is the same work, also after its end");
});

const failing: WorkHandler = async () => {
  throw new WorkFailure("noRoom", "there is no room");
};
const buggy: WorkHandler = async () => {
  throw new TypeError("oops");
};

function unknownWork(name: string): unknown {
  const message = `this process cannot execute the operation ${name}; it can execute revert, failing, buggy`;
  return ["done", { status: "failed", code: "unknownWork", message }];
}

test("M8 unknown and failing operations end", async (t) => {
  const place = await openSqlitePlace(t, { works: { failing, buggy } });
  const { holdfast } = place.first;
  const results: unknown[] = [];
  for (const name of ["mystery", "toString", "failing", "buggy"]) {
    const { workId } = await holdfast.queueWork({ sessionId, name, input: null });
    const ended = await holdfast.waitWork({ sessionId, workId });
    results.push([ended?.cause, ended?.result]);
  }
  assert.deepEqual(results, [
    unknownWork("mystery"),
    unknownWork("toString"),
    ["done", { status: "failed", code: "noRoom", message: "there is no room" }],
    ["done", { status: "failed", code: "workError", message: "oops" }],
  ]);
});

test("M8 C5 a session cancel aborts an operation, and ends it after the grace time", async (t) => {
  const clock = createStoreClock();
  const bench = createWorkbench();
  const place = await openSqlitePlace(t, { works: { tidy: bench.handler }, storeClock: clock });
  const { holdfast } = place.first;
  await holdfast.queueWork({ sessionId, workId: "polite", name: "tidy", input: null });
  const polite = await bench.next();
  const receipt = await holdfast.cancel({ sessionId });
  await aborted(polite.context.signal);
  polite.fail(new WorkFailure("stopped", "half of it is done"));
  const first = await holdfast.waitWork({ sessionId, workId: "polite" });

  await holdfast.queueWork({ sessionId, workId: "stubborn", name: "tidy", input: null });
  const stubborn = await bench.next();
  await holdfast.cancel({ sessionId });
  await aborted(stubborn.context.signal);
  clock.move(5_000);
  const second = await holdfast.waitWork({ sessionId, workId: "stubborn" });
  assert.deepEqual(
    [receipt.work, first?.cause, first?.result, second?.cause, second?.result],
    [
      ["polite"],
      "cancelled",
      { status: "failed", code: "stopped", message: "half of it is done" },
      "enforced",
      null,
    ],
  );
  // The operation has not stopped yet, but blocks nothing any more, and its result is ignored.
  await (await place.openRun("a")).finish();
  assert.equal(await place.outcome("a"), "completed");
  stubborn.end("done after all");
});

test("M9 a stopping process ends its operation and reports it", async (t) => {
  const bench = createWorkbench();
  const place = await openSqlitePlace(t, { works: { tidy: bench.handler } });
  const { holdfast } = place.first;
  await holdfast.queueWork({ sessionId, workId: "w1", name: "tidy", input: null });
  const piece = await bench.next();
  piece.context.signal.addEventListener("abort", () => {
    const reason: unknown = piece.context.signal.reason;
    if (reason instanceof Error) piece.fail(reason);
  });
  await place.first.close();
  const after = await place.open();
  const ended = await after.holdfast.waitWork({ sessionId, workId: "w1" });
  const message = "the process that executed the operation was stopped";
  assert.deepEqual(
    [ended?.cause, ended?.result],
    ["done", { status: "failed", code: "interrupted", message }],
  );
});

test("M8 a waiter that stops waiting does not affect the operation", async (t) => {
  const bench = createWorkbench();
  const place = await openSqlitePlace(t, { works: { tidy: bench.handler } });
  const { holdfast } = place.first;
  const { workId } = await holdfast.queueWork({ sessionId, name: "tidy", input: null });
  const piece = await bench.next();
  const waiting = new AbortController();
  const given = holdfast.waitWork({ sessionId, workId, signal: waiting.signal });
  waiting.abort();
  assert.equal((await given)?.status, "running");
  assert.equal(await holdfast.waitWork({ sessionId, workId: "other" }), null);
  piece.end(null);
  assert.equal((await holdfast.waitWork({ sessionId, workId }))?.cause, "done");
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
