import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkHandle } from "../../src/kernel/command.ts";
import { checkHistory } from "./support/check-history.ts";
import * as make from "./support/commands.ts";
import { createWorld, done, verdict, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

/** The exclusive operation w1 is active, and the prompts p1 and p2 wait. */
function working(): World {
  const world = createWorld();
  done(world.send(make.queueWork("w1")));
  done(world.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 5000 }));
  for (const promptId of ["p1", "p2"]) done(world.accept(promptId));
  return world;
}

function say(world: World, promptId = "news", work: Partial<WorkHandle> = {}) {
  const handle = { workId: "w1", fence: world.state().fence, ...work };
  return world.accept(promptId, { reply: false, work: handle });
}

test("M8 a message of an exclusive operation is added in its own commit, before waiting prompts", () => {
  const world = working();
  const { events } = done(say(world));
  assert.deepEqual(events.slice(1).map(withoutEnvelope), [
    { type: "prompt.takenIn", promptId: "news", runId: null },
    {
      type: "prompt.settled",
      promptId: "news",
      outcome: { status: "completed", reason: null, runId: null, result: null },
    },
  ]);
  assert.deepEqual(world.queue(), ["p1", "p2"]);
  assert.equal(world.state().active?.kind, "work");
  assert.deepEqual(checkHistory(world.events()), []);
});

test("M8 neither clearing the queue nor a cancel removes a message of an exclusive operation", () => {
  const world = working();
  done(say(world));
  const cleared = done(world.cancel("clear", { kind: "queue" }));
  const cancelled = done(world.cancel("stop"));
  assert.deepEqual(
    [cleared.receipt, cancelled.receipt].map((receipt) =>
      receipt?.covered.map(({ promptId }) => promptId),
    ),
    [["p1", "p2"], []],
  );
  assert.equal(world.row("news").outcome?.status, "completed");
  // The operation has been asked to stop, and can still report its progress.
  assert.equal(verdict(say(world, "more")), "done");
  assert.deepEqual(checkHistory(world.events()), []);
});

test("L5 only the owner of the active operation can write its message", () => {
  const world = working();
  assert.equal(verdict(say(world, "n1", { fence: 99 })), "fenced");
  assert.equal(verdict(say(world, "n1", { workId: "w2" })), "fenced");
  done(world.send(make.endWork("w1", world.state().fence)));
  assert.equal(verdict(say(world, "n1")), "fenced");
  done(world.start("run1"));
  assert.equal(verdict(say(world, "n1")), "fenced");
  assert.deepEqual(world.queue(), ["p2"]);
});

test("M8 a message of an exclusive operation needs no reply and has no other delivery", () => {
  const world = working();
  const work = { workId: "w1", fence: world.state().fence };
  for (const fields of [{ reply: true }, { reply: false, delivery: "interrupt" as const }]) {
    const answer = world.accept("news", { ...fields, work });
    assert(answer.status === "refused" && answer.refusal.code === "invalid");
    assert.equal(answer.refusal.field, "work");
  }
});
