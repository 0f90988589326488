import assert from "node:assert/strict";
import { test } from "node:test";
import * as make from "./support/commands.ts";
import { createWorld, done, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

function editedTwice(): World {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.send(make.edit("p1", { revision: 1, body: "second" })));
  done(world.send(make.edit("p1", { revision: 2, body: "third" })));
  return world;
}

test("C6 an edit whose answer was lost changes nothing when it is repeated", () => {
  const world = editedTwice();
  const answer = done(world.send(make.edit("p1", { revision: 2, body: "third" })));
  assert.deepEqual(answer.events, []);
  assert.deepEqual([answer.prompt?.revision, answer.prompt?.body], [3, "third"]);
});

test("C6 an edit of an older revision is refused and returns the current revision", () => {
  const attempts: [revision: number, body: string][] = [
    [2, "other"],
    [1, "second"],
    [1, "third"],
    [4, "third"],
  ];
  for (const [revision, body] of attempts) {
    const answer = editedTwice().send(make.edit("p1", { revision, body }));
    assert(answer.status === "refused");
    const { message: _, ...refusal } = answer.refusal;
    assert.deepEqual(refusal, { code: "staleRevision", revision: 3 });
  }
});

test("C6 a prompt that has started or settled cannot be edited, moved or promoted", () => {
  const world = editedTwice();
  done(world.start());
  const attempts = [
    make.edit("p1", { revision: 3 }),
    { type: "prompt.move", promptId: "p1", before: null } as const,
    { type: "prompt.promote", promptId: "p1" } as const,
  ];
  const running = attempts.map((data) => verdict(world.send(data)));
  assert.deepEqual(running, ["notWaiting", "notWaiting", "notWaiting"]);
  done(world.end());
  const settled = attempts.map((data) => verdict(world.send(data)));
  assert.deepEqual(settled, ["notWaiting", "notWaiting", "notWaiting"]);
});
