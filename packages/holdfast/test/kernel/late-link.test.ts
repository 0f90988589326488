import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done } from "./support/world.ts";
import type { Session, World } from "./support/world.ts";

const parent = { sessionId: "main", runId: "r1", background: false };
const link = { sessionId: "child", promptId: "k1" };

/** Run r1, and the prompt of its child, which arrived and started before r1 has linked it. */
function early(): { world: World; child: Session } {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  const child = world.session("child");
  done(child.create());
  done(child.accept("k1", { parent }));
  done(child.start("r2"));
  return { world, child };
}

function outcomes(world: World): unknown[] {
  return world.run().children.map(({ outcome }) => outcome?.status ?? null);
}

test("C7 a child that settled before it was linked reports its outcome when its prompt is sent again", () => {
  const { world, child } = early();
  done(child.end());
  done(world.link(link));
  assert.deepEqual(outcomes(world), [null]);
  done(child.accept("k1", { parent }));
  assert.deepEqual(outcomes(world), ["completed"]);
  done(world.boundary());
});

test("C7 a running child is waited for, however often its prompt is sent", () => {
  const { world, child } = early();
  done(world.link(link));
  done(child.accept("k1", { parent }));
  assert.deepEqual(outcomes(world), [null]);
  done(child.end());
  assert.deepEqual(outcomes(world), ["completed"]);
});

test("C7 a cancel does not wait for a child that had ended before it was linked", () => {
  const { world, child } = early();
  done(child.end());
  done(world.link(link));
  done(world.cancel("x1"));
  assert.deepEqual(outcomes(world), ["completed"]);
  done(world.end());
  assert.equal(world.row("p1").outcome?.reason, "sessionCancel");
});

test("C7 a child that an earlier run waited for gives its outcome to a later run, and no second result", () => {
  const { world, child } = early();
  done(world.end());
  done(world.accept("p2"));
  done(world.start("r3"));
  done(world.link(link, { background: true }));
  const { acceptSeq } = world.row("p2");
  assert.deepEqual(world.state().background, [{ ...link, runId: "r3", acceptSeq, origin: "p2" }]);
  done(child.end());
  assert.deepEqual([world.state().background, world.queue()], [[], []]);
  done(world.end());
  assert.equal(world.ready(), null);
});
