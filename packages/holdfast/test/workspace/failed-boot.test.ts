import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeText, WorkspaceError } from "../../src/workspace/loader.ts";
import { settled } from "../support/hand-clock.ts";
import { openWorld, pinning } from "./support/world.ts";

test("M6 a config that does not parse leaves the current config version in use, and reports the position", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const first = await world.run("r1");
  world.configure("a", { digest: "2", broken: "a comma is missing" });
  world.log();
  const applied = await world.refresh();
  const problem = {
    directory: "a",
    message: "holdfast.jsonc:3:1: mcp.x: a comma is missing",
  };
  assert.deepEqual(applied.failures, [problem]);
  assert.deepEqual([applied.waitingFor(), await applied.ended], [[], []]);
  const second = await world.run("r2");
  assert.equal(second.workspace, first.workspace);
  const open = world.host.get("a");
  assert.deepEqual(open?.problem, problem);
  assert.deepEqual(open?.current?.notices.map(noticeText), [problem.message]);
  assert.deepEqual(world.log(), ["read a"]);
  world.configure("a", { digest: "3", resources: ["mcp:x"] });
  assert.deepEqual((await world.refresh()).waitingFor(), [pinning("r1"), pinning("r2")]);
  const after = world.host.get("a");
  assert.deepEqual([after?.problem, after?.current?.notices], [null, []]);
  first.release();
  second.release();
});

test("M6 a new server that does not start fails the refresh, and everything started for it is closed", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const pin = await world.run("r1");
  world.configure("a", { digest: "2", resources: ["mcp:x", "mcp:y", "mcp:bad"] });
  world.behave("mcp:bad", { open: () => Promise.reject(new Error("no such command")) });
  world.log();
  const applied = await world.refresh();
  const message = "server mcp:bad could not be opened: no such command";
  assert.deepEqual(applied.failures, [{ directory: "a", message }]);
  assert.deepEqual(world.log(), ["read a", "open mcp:y 1", "open mcp:bad 1", "close mcp:y 1"]);
  const next = await world.run("r2");
  assert.equal(next.workspace, pin.workspace);
  pin.release();
  next.release();
});

test("M6 a failed refresh waits for no run", async (t) => {
  const world = openWorld(t);
  const pin = await world.run("r1");
  world.configure("a", { digest: "2" });
  await world.refresh();
  world.configure("a", { digest: "3", broken: "no" });
  const applied = await world.refresh();
  assert.deepEqual([applied.waitingFor(), await applied.ended], [[], []]);
  pin.release();
});

test("M6 a directory that fails does not affect others", async (t) => {
  const world = openWorld(t, { a: { digest: "1" }, b: { digest: "1" } });
  await Promise.all([world.host.load("a"), world.host.load("b")]);
  world.configure("a", { digest: "2", broken: "no" });
  world.configure("b", { digest: "2" });
  const applied = await world.refresh();
  assert.deepEqual(
    [applied.directories, applied.failures.map(({ directory }) => directory)],
    [["a", "b"], ["a"]],
  );
  assert.deepEqual(
    world.host.list().map(({ directory, current }) => [directory, current?.number]),
    [
      ["a", 1],
      ["b", 3],
    ],
  );
});

test("M6 a server that hangs is abandoned after its timeout, and closed if it starts later", async (t) => {
  const world = openWorld(t, { a: { digest: "1" } });
  (await world.run("r1")).release();
  const opening = Promise.withResolvers<void>();
  let stopped = false;
  const open = (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => (stopped = true));
    return opening.promise;
  };
  world.behave("mcp:slow", { open });
  world.configure("a", { digest: "2", resources: ["mcp:slow"] });
  world.log();
  const refresh = world.refresh();
  await settled();
  await world.clock.move(29_999);
  assert.equal(stopped, false);
  await world.clock.move(1);
  const message = "server mcp:slow could not be opened: it was not ready within 30 s";
  assert.deepEqual((await refresh).failures, [{ directory: "a", message }]);
  assert.equal(stopped, true);
  opening.resolve();
  await settled();
  assert.deepEqual(world.log(), ["read a", "open mcp:slow 1", "close mcp:slow 1"]);
});

test("M6 at the first load a server that does not start only lacks its own tools", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:bad", "mcp:x"] } });
  world.behave("mcp:bad", { open: () => Promise.reject(new Error("no such command")) });
  const pin = await world.run("r1");
  const current = world.host.get("a")?.current;
  assert.deepEqual(
    current?.resources.map(({ key, problem }) => ({ key, problem })),
    [
      { key: "mcp:x", problem: null },
      { key: "mcp:bad", problem: "no such command" },
    ],
  );
  assert.deepEqual(
    current?.notices.map(({ message }) => message),
    ["server mcp:bad could not be opened: no such command"],
  );
  assert.deepEqual(world.log(), ["read a", "open mcp:bad 1", "open mcp:x 1", "build a 1 [mcp:x]"]);
  pin.release();
});

test("M6 a server that was already missing blocks no other change, and is added once it starts", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:bad"] } });
  let works = false;
  const open = (): Promise<void> => (works ? Promise.resolve() : Promise.reject(new Error("no")));
  world.behave("mcp:bad", { open });
  await world.host.load("a");
  world.log();
  assert.deepEqual((await world.refresh()).failures, []);
  assert.deepEqual(world.log(), ["read a", "open mcp:bad 2"], "nothing is built for nothing");
  world.configure("a", { digest: "2", resources: ["mcp:bad", "mcp:x"] });
  assert.deepEqual((await world.refresh()).failures, []);
  const asked = await world.refresh({ restart: ["mcp:bad"] });
  assert.equal(asked.failures.length, 1, "who asks for its start is told that it failed");
  works = true;
  assert.deepEqual((await world.refresh()).failures, []);
  assert.deepEqual(world.log(), [
    "read a",
    "open mcp:bad 3",
    "open mcp:x 1",
    "build a 2 [mcp:x]",
    "read a",
    "open mcp:bad 4",
    "read a",
    "open mcp:bad 5",
    "build a 2 [mcp:bad mcp:x]",
  ]);
});

test("a server that needs a sign-in blocks no change, and only its own tools are missing", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  await world.host.load("a");
  const needsSignIn = Object.assign(new Error("status 401"), { needsSignIn: true });
  world.behave("mcp:guarded", { open: () => Promise.reject(needsSignIn) });
  world.configure("a", { digest: "2", resources: ["mcp:x", "mcp:guarded"] });
  assert.deepEqual((await world.refresh()).failures, []);
  assert.deepEqual((await world.refresh({ restart: ["mcp:guarded"] })).failures, []);
  assert.deepEqual(
    world.host.get("a")?.current?.resources.map(({ key, problem }) => ({ key, problem })),
    [
      { key: "mcp:x", problem: null },
      { key: "mcp:guarded", problem: "status 401" },
    ],
  );
});

test("M6 a directory that never loaded reports the reason to each caller, and can load later", async (t) => {
  const world = openWorld(t, { a: { digest: "1", broken: "a comma is missing" } });
  const answers = await Promise.allSettled([
    world.run("r1"),
    world.run("r2"),
    world.host.load("a"),
  ]);
  for (const answer of answers) {
    assert.equal(answer.status, "rejected");
    assert(answer.status === "rejected" && answer.reason instanceof WorkspaceError);
    assert.equal(answer.reason.message, "holdfast.jsonc:3:1: mcp.x: a comma is missing");
  }
  assert.deepEqual(world.log(), ["read a"]);
  await settled();
  assert.deepEqual(world.host.list(), []);
  world.configure("a", { digest: "2" });
  (await world.run("r3")).release();
});

test("M6 a run that waits for a failing load gets the result of a refresh in between", async (t) => {
  const world = openWorld(t, { a: { digest: "1", broken: "a comma is missing" } });
  const goOn = world.holdReads();
  const running = world.run("r1");
  await settled();
  world.configure("a", { digest: "2" });
  const refresh = world.refresh();
  goOn();
  (await running).release();
  assert.deepEqual((await refresh).failures, []);
});

test("M6 reading a config that never ends is stopped", async (t) => {
  const world = openWorld(t);
  const goOn = world.holdReads();
  const refused = assert.rejects(world.run("r1"), /reading the config timed out after 30 s/);
  await world.clock.move(30_000);
  await refused;
  goOn();
});
