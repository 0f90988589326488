import assert from "node:assert/strict";
import { test } from "node:test";
import { startingPrompt } from "../../src/kernel/attention.ts";
import * as make from "./support/commands.ts";
import { createWorld, done } from "./support/world.ts";

test("L2 a run starts with the first prompt that has not expired and needs a reply", () => {
  const world = createWorld();
  const starting = (at: number): string | null =>
    startingPrompt(world.state(), at)?.promptId ?? null;
  done(world.send({ type: "hold.place", holdId: "h", reason: "wait" }));
  assert.equal(starting(1_000), null);
  done(world.accept("note", { reply: false }));
  assert.equal(starting(1_000), null);
  done(world.accept("timed", { expiresAt: 2_000 }));
  done(world.accept("lasting"));
  assert.deepEqual([starting(1_999), starting(2_000)], ["timed", "lasting"]);
});

test("M8 no run starts before an exclusive operation that was requested first", () => {
  const world = createWorld();
  done(world.send({ type: "hold.place", holdId: "h", reason: "wait" }));
  done(world.send(make.queueWork("w")));
  done(world.accept("p"));
  assert.equal(startingPrompt(world.state(), 1_000), null);
});
