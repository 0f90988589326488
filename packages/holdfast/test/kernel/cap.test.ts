import assert from "node:assert/strict";
import { test } from "node:test";
import { inheritedAccounts } from "../../src/kernel/account.ts";
import { capsAt } from "../../src/kernel/cap.ts";
import type { Caps } from "../../src/kernel/cap.ts";
import { createWorld, done } from "./support/world.ts";
import type { Session, World } from "./support/world.ts";

// Each step costs 2.
const usage = { inputTokens: 6, outputTokens: 4, cost: 2 };
const dollars = (cost: number) => ({ tokens: null, cost });
const day = Date.UTC(2030, 0, 15);
const hour = 3_600_000;

function atNoon(): World {
  const world = createWorld();
  world.clock.now = day + 12 * hour;
  return world;
}

function boundary(session: Session, caps: Caps): void {
  done(session.send({ type: "run.boundary", handle: session.handle(), caps }));
}

function takeStep(session: Session, caps: Caps): void {
  boundary(session, caps);
  done(session.answer([], { usage, caps }));
}

test("P6 caps of a day, a month and a token have separate accounts, and end in UTC", () => {
  const caps = { day: dollars(1), month: dollars(2), token: dollars(3) };
  const time = Date.UTC(2028, 1, 29, 23, 59, 59, 999);
  const march = Date.UTC(2028, 2, 1);
  assert.deepEqual(capsAt(caps, time, ["prompt:a/b", "token:ci"]), [
    { kind: "day", accountId: "day:2028-02-29", limit: dollars(1), resetsAt: march },
    { kind: "month", accountId: "month:2028-02", limit: dollars(2), resetsAt: march },
    { kind: "token", accountId: "token:ci:2028-02", limit: dollars(3), resetsAt: march },
  ]);
  assert.deepEqual(capsAt({ day: dollars(1) }, march, []), [
    {
      kind: "day",
      accountId: "day:2028-03-01",
      limit: dollars(1),
      resetsAt: Date.UTC(2028, 2, 2),
    },
  ]);
  assert.deepEqual(capsAt(undefined, time, ["token:ci"]), []);
});

test("P6 a run that reaches a spent cap waits and continues when the cap resets", () => {
  const world = atNoon();
  const caps = { day: dollars(2) };
  done(world.accept("p1"));
  done(world.start("r1", { caps }));
  takeStep(world, caps);
  boundary(world, caps);
  const tomorrow = day + 24 * hour;
  const hold = { kind: "failure", holdId: "cap:7", reason: "dailyCap", retryAt: tomorrow };
  assert.deepEqual(world.state().holds, [hold]);
  assert.deepEqual(
    [world.run().owner, world.ready(), world.row("p1").status],
    [null, null, "running"],
  );
  assert.equal(world.takeover().status, "refused");
  done(world.tick(12 * hour));
  assert.deepEqual([world.state().holds, world.ready()], [[], "takeOver"]);
  // The run continues without a decision of a person even after more than an hour.
  done(world.takeover({ owner: "node1" }));
  assert.deepEqual(world.run().tries, { total: 1, sinceStep: 1 });
  takeStep(world, caps);
  done(world.end());
  assert.equal(world.row("p1").outcome?.status, "completed");
});

test("P6 a spent cap holds every lane before its next run starts, until it is raised", () => {
  const world = atNoon();
  const caps = { month: dollars(2), day: dollars(2) };
  done(world.accept("p1"));
  done(world.start("r1", { caps }));
  takeStep(world, caps);
  done(world.end());
  const other = world.session("other");
  done(other.create());
  done(other.accept("q1"));
  done(other.start("r2", { caps }));
  assert.equal(other.state().active, null);
  assert.deepEqual(
    other.state().holds.map((hold) => hold.kind === "failure" && [hold.reason, hold.retryAt]),
    [["monthlyCap", Date.UTC(2030, 1, 1)]],
  );
  done(other.send({ type: "hold.release", target: { kind: "refresh" } }));
  done(other.start("r3", { caps: { month: dollars(3), day: dollars(3) } }));
  assert.equal(other.run().runId, "r3");
});

test("P6 a token's cap counts only its own prompts and their children", () => {
  const world = atNoon();
  const caps = { token: dollars(2) };
  done(world.accept("p1", { accounts: ["token:ci"] }));
  done(world.accept("p2", { accounts: ["token:other"] }));
  done(world.start("r1", { caps }));
  const child = world.session("child");
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k1" }, { create, background: true }));
  const accounts = inheritedAccounts(world.state(), world.run());
  const parent = { sessionId: "main", runId: "r1", background: true };
  done(child.accept("k1", { parent, accounts }));
  done(child.start("r2", { caps }));
  takeStep(child, caps);
  boundary(child, caps);
  assert.equal(child.state().holds.length, 1);
  boundary(world, caps);
  assert.equal(world.state().holds.length, 1);
  done(world.cancel("c1", { kind: "run", runId: "r1" }));
  done(world.send({ type: "hold.release", target: { kind: "refresh" } }));
  done(world.start("r3", { caps }));
  assert.equal(world.run().startedBy, "p2");
  assert.deepEqual([...world.store.accounts.keys()], ["token:ci:2030-01"]);
});

test("P6 without caps a step is charged to no account", () => {
  const world = atNoon();
  done(world.accept("p1", { accounts: ["token:ci"] }));
  done(world.start("r1"));
  takeStep(world, {});
  done(world.boundary());
  assert.equal(world.store.accounts.size, 0);
});

test("P6 C5 a cancel ends a run that waits for a cap, in its own commit", () => {
  const world = atNoon();
  const caps = { day: dollars(0) };
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.boundary());
  done(world.answer([], { usage, caps }));
  boundary(world, caps);
  done(world.cancel("c1"));
  assert.equal(world.row("p1").outcome?.reason, "sessionCancel");
});
