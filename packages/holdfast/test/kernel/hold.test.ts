import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done, verdict, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

/** A lane with a prompt waiting, held by a person and after a failure. */
function heldTwice(): World {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.accept("p2"));
  done(world.start("r1"));
  done(world.end({ status: "failed", reason: "badKey" }, { retryAt: null }));
  done(world.send({ type: "hold.place", holdId: "h1", reason: "lunch" }));
  return world;
}

test("L4 a refresh of the directory releases failure holds, but not a person's hold", () => {
  const world = heldTwice();
  const refresh = { type: "hold.release", target: { kind: "refresh" } } as const;
  assert.deepEqual(done(world.send(refresh)).events.map(withoutEnvelope), [
    { type: "hold.released", holdId: "failure:r1", cause: "refresh", resumesRun: false },
  ]);
  assert.deepEqual(world.state().holds, [{ kind: "person", holdId: "h1", reason: "lunch" }]);
  assert.equal(world.ready(), null);
  assert.deepEqual(done(world.send(refresh)).events, []);
});

test("L4 a person releases each hold by its id, and after the last one the first prompt starts", () => {
  const world = heldTwice();
  const release = (holdId: string): ReturnType<World["send"]> =>
    world.send({ type: "hold.release", target: { kind: "hold", holdId } });
  assert.deepEqual(done(release("failure:r1")).events.map(withoutEnvelope), [
    { type: "hold.released", holdId: "failure:r1", cause: "person", resumesRun: false },
  ]);
  assert.equal(verdict(world.start("r2")), "held");
  done(release("h1"));
  assert.deepEqual([world.state().holds, world.ready()], [[], "start"]);
  assert.equal(verdict(release("h1")), "unknownHold");
});

test("L4 placing a hold again under its id has no effect", () => {
  const world = heldTwice();
  const { holds } = world.state();
  const place = { type: "hold.place", holdId: "h1", reason: "lunch" } as const;
  assert.deepEqual(done(world.send(place)).events, []);
  assert.deepEqual(world.state().holds, holds);
});
