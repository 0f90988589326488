import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld, pinning } from "./support/world.ts";

const resources = ["provider:p:1", "provider:pp:1"];

test("M5 a revoked provider serves no run of any config version, and its runs are listed", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources } });
  const first = await world.run("r1");
  world.configure("a", { digest: "2", resources });
  await world.refresh();
  const second = await world.run("r2");
  world.configure("a", { digest: "3", resources: ["provider:pp:1"] });
  world.log();
  const applied = await world.refresh({ revoke: ["p"] });
  assert.deepEqual(world.log(), ["revoke provider:p:1 1", "read a", "build a 3 [provider:pp:1]"]);
  assert.deepEqual(applied.revokedRuns(), [pinning("r1"), pinning("r2")]);
  assert.deepEqual(applied.waitingFor(), [pinning("r1"), pinning("r2")]);
  first.release();
  second.release();
  assert.deepEqual(await applied.ended, []);
  assert.deepEqual(applied.revokedRuns(), []);
});

test("M5 only runs that use a revoked provider are listed, if the provider can tell", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources } });
  const pins = [await world.run("r1"), await world.run("r2")];
  world.use("provider:p:1", ["r2"]);
  world.configure("a", { digest: "2" });
  const applied = await world.refresh({ revoke: ["p"] });
  assert.deepEqual(applied.revokedRuns(), [pinning("r2")]);
  assert.deepEqual(applied.waitingFor(), [pinning("r1"), pinning("r2")]);
  world.use("provider:p:1", []);
  assert.deepEqual(applied.revokedRuns(), []);
  for (const pin of pins) pin.release();
});

test("M5 a config version that was being loaded during the revoke cannot use the provider either", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources } });
  const opening = Promise.withResolvers<void>();
  world.behave("provider:pp:1", { open: () => opening.promise });
  const running = world.run("r1");
  await settled();
  world.configure("a", { digest: "2", resources: ["provider:pp:1"] });
  const applying = world.refresh({ revoke: ["p"] });
  opening.resolve();
  const pin = await running;
  const applied = await applying;
  assert.equal(world.log().at(-1), "revoke provider:p:1 1");
  assert.deepEqual(applied.revokedRuns(), [pinning("r1")]);
  pin.release();
});

test("M5 M6 a revoked provider is opened again when it is connected again", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources } });
  await world.host.load("a");
  world.configure("a", { digest: "2", broken: "no" });
  assert.equal((await world.refresh({ revoke: ["p"] })).failures.length, 1);
  world.configure("a", { digest: "1", resources });
  world.log();
  assert.deepEqual((await world.refresh()).failures, []);
  assert.deepEqual(world.log().slice(0, 3), [
    "read a",
    "open provider:p:1 2",
    "build a 1 [provider:p:1 provider:pp:1]",
  ]);
});
