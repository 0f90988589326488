import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done, verdict } from "../support/world.ts";
import type { Session, World } from "../support/world.ts";

// Races of a cancel with the children of the run that it covers (C7).

const link = { sessionId: "main", runId: "run1", background: false };
const make = { contentHash: "child", directory: "/project" };

test("C7 a cancel reaches a running child, and the parent settles after it", () => {
  const { world, child } = family();
  child.accept("job", { parent: link });
  child.start("run2");
  child.boundary();
  done(world.cancel("stop"));
  assert.equal(child.run().condition.status, "stopping");
  world.end();
  assert.deepEqual(
    [world.row("first").status, world.run().condition.status],
    ["running", "closing"],
  );
  child.end();
  assert.equal(child.row("job").outcome?.reason, "parentCancel");
  assert.equal(world.row("first").outcome?.status, "cancelled");
});

test("C7 a cancel settles a child's queued prompt in its own transaction", () => {
  const { world, child } = family();
  child.accept("other");
  child.start("run2");
  child.accept("job", { parent: link });
  done(world.cancel("stop"));
  assert.equal(child.row("job").outcome?.reason, "parentCancel");
  assert.equal(child.row("other").status, "running");
  assert.equal(child.run().condition.status, "running");
  world.end();
  assert.equal(world.row("first").outcome?.status, "cancelled");
});

test("C7 a child's prompt that arrives after the cancel is refused by its tombstone", () => {
  const { world, child } = family();
  done(world.cancel("stop"));
  assert.equal(verdict(child.accept("job", { parent: link })), "tombstoned");
  assert.deepEqual(child.row("job").outcome, {
    status: "cancelled",
    reason: "parentCancel",
    runId: null,
    result: null,
  });
  world.end();
  assert.equal(world.row("first").outcome?.status, "cancelled");
});

test("C7 a cancelled parent settles even if its child session is gone", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.boundary();
  world.answer();
  done(world.link({ sessionId: "nowhere", promptId: "job" }));
  done(world.cancel("stop"));
  world.end();
  assert.equal(world.row("first").outcome?.status, "cancelled");
});

test("C7 a prompt of another sender under the linked id does not affect the parent", () => {
  const { world, child } = family();
  child.accept("job");
  child.start("run2");
  done(world.cancel("stop"));
  world.end();
  assert.equal(world.row("first").outcome?.status, "cancelled");
  assert.equal(child.run().condition.status, "running");
});

test("C7 a run that fails with an open child ends after the child", () => {
  const { world, child } = family();
  child.accept("job", { parent: link });
  child.start("run2");
  done(world.end({ status: "failed", reason: "agentError" }));
  assert.equal(world.row("first").status, "running");
  child.end();
  assert.deepEqual(
    [world.row("first").outcome?.reason, child.row("job").outcome?.reason],
    ["agentError", "parentCancel"],
  );
});

test("C7 a background child is named in the receipt and covered only with `tree`", () => {
  const { world, child } = family({ background: true });
  child.accept("job", { parent: { ...link, background: true } });
  const { receipt } = done(world.cancel("stop"));
  assert.deepEqual(receipt?.background, [{ sessionId: "child", promptId: "job" }]);
  world.end();
  assert.equal(child.row("job").status, "queued");
  done(world.cancel("all", { tree: true }));
  assert.equal(child.row("job").outcome?.reason, "parentCancel");
  assert.deepEqual([world.queue(), world.state().background], [[], []]);
});

test("C7 a result that arrives twice is one prompt", () => {
  const { world, child } = family({ background: true });
  child.accept("job", { parent: { ...link, background: true } });
  child.start("run2");
  child.end({ result: "found it" });
  assert.deepEqual(world.queue(), ["result:job"]);
  assert.equal(verdict(world.accept("result:job")), "invalid");
});

test("C7 a background child that is linked again after it has ended is not waited for", () => {
  const { world, child } = family({ background: true });
  child.accept("job", { parent: { ...link, background: true } });
  child.start("run2");
  child.end();
  const again = world.link({ sessionId: "child", promptId: "job" }, { background: true });
  assert.deepEqual([done(again).events, world.state().background], [[], []]);
});

test("C7 a child that was sent in the background cannot be waited for, before or after its end", () => {
  const { world, child } = family({ background: true });
  const job = { sessionId: "child", promptId: "job" };
  assert.equal(verdict(world.link(job)), "conflict");
  child.accept("job", { parent: { ...link, background: true } });
  child.start("run2");
  child.end();
  assert.equal(verdict(world.link(job)), "conflict");
});

test("C7 a child's prompt that is linked again in the other way is refused with the way it was sent", () => {
  const job = { sessionId: "child", promptId: "job" };
  const refusals = [true, false].map((background) => {
    const answer = family({ background }).world.link(job, { background: !background });
    return answer.status === "done" ? null : answer.refusal.message;
  });
  assert.deepEqual(refusals, [
    "prompt job was already sent, as a background child; choose another prompt id",
    "prompt job was already sent, as a foreground child; choose another prompt id",
  ]);
});

test("C7 a parent that links and sends a settled child's prompt again gets its outcome", () => {
  const { world, child } = family();
  child.accept("job", { parent: link });
  child.start("run2");
  child.end({ result: "found it" });
  world.lose("node1");
  world.takeover();
  done(world.link({ sessionId: "child", promptId: "job" }, { create: make }));
  done(child.accept("job", { parent: link }));
  assert.equal(world.run().children[0]?.outcome?.result, "found it");
});

test("C7 a cancel of a parent does not wait for a child that had settled before its link", () => {
  const world = createWorld();
  const child = world.session("child");
  world.accept("first");
  world.start("run1");
  child.create();
  child.accept("job", { parent: link });
  child.start("run2");
  child.end();
  done(world.link({ sessionId: "child", promptId: "job" }));
  world.cancel("stop");
  world.end();
  assert.equal(world.row("first").outcome?.status, "cancelled");
});

test("C7 a background child that was announced and never sent is forgotten when its run ends", () => {
  const { world, child } = family({ background: true });
  world.lose("node1");
  world.takeover({ recovery: "settle" });
  assert.deepEqual([world.state().background, world.queue()], [[], []]);
  const late = child.accept("job", { parent: { ...link, background: true } });
  assert.equal(verdict(late), "tombstoned");
});

test("C7 an announced child whose id belongs to another prompt is forgotten when its run ends", () => {
  const { world, child } = family({ background: true });
  child.accept("job");
  world.end();
  assert.deepEqual([world.state().background, child.row("job").status], [[], "queued"]);
});

test("C7 a background child that was sent continues when its run ends", () => {
  const { world, child } = family({ background: true });
  child.accept("job", { parent: { ...link, background: true } });
  world.end();
  assert.deepEqual([world.state().background.length, child.row("job").status], [1, "queued"]);
});

test("C7 two background children whose results would have the same id are refused", () => {
  const { world } = family({ background: true });
  const other = { sessionId: "other", promptId: "job" };
  assert.equal(verdict(world.link(other, { background: true, create: make })), "conflict");
});

test("M8 C7 deleting a parent settles it and its children in one commit", () => {
  const { world, child } = family();
  child.accept("job", { parent: link });
  child.start("run2");
  done(world.send({ type: "session.delete" }));
  assert.deepEqual(
    [world.row("first").outcome?.reason, child.row("job").outcome?.reason],
    ["deleted", "parentCancel"],
  );
});

test("C7 a run that would wait for itself through other runs is refused", () => {
  const { child } = family();
  child.accept("job", { parent: link });
  child.start("run2");
  child.boundary();
  child.answer();
  assert.equal(verdict(child.link({ sessionId: "main", promptId: "back" })), "cycle");
  assert.equal(verdict(child.link({ sessionId: "child", promptId: "self" })), "cycle");
  assert.equal(
    verdict(child.link({ sessionId: "main", promptId: "back" }, { background: true })),
    "done",
  );
});

/** A parent whose run1 has linked prompt `job` of session `child`, which has not arrived yet. */
function family(fields: { background?: boolean } = {}): { world: World; child: Session } {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.boundary();
  world.answer();
  const child = { sessionId: "child", promptId: "job" };
  done(world.link(child, { background: fields.background ?? false, create: make }));
  return { world, child: world.session("child") };
}
