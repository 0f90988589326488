import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { isAlive, openHostedWorld } from "./world.ts";

test("H7 M1 the process starts with the first prompt and not before", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p0", "say x", { agent: "demo" });
  await world.ended("p0");
  assert.deepEqual(world.lines("pids"), []);
});

test("H7 M1 a change of the agent's config replaces its process for the next run, never under a run", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say a\nwait go\nsay one");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  const [first] = world.pids();
  assert.ok(first !== undefined);
  world.configure({ version: "2.0.0" });
  const actor = { kind: "client", id: "test" } as const;
  const { directory } = world;
  await world.runtime.maintenance.request({
    kind: "refresh",
    directories: [directory],
    cause: "request",
    actor,
  });
  await waitFor(() => world.runtime.maintenance.list(), {
    describe: "the deferred refresh",
    until: (found) => JSON.stringify(found).includes("deferred"),
  });
  assert.ok(isAlive(first), "the run keeps its process");
  await world.prompt("p2", "say two");
  world.release("go");
  assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "aone" });
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "two" });
  await waitFor(() => !isAlive(first), { describe: "the end of the old process" });
  const versions = world.lines("environment").map((line) => JSON.parse(line)["STUB_VERSION"]);
  assert.deepEqual(versions, ["1.0.0", "2.0.0"]);
});

test("H7 an agent that ignores the end of stdin and SIGTERM is killed with its generation", async (t) => {
  const world = await openHostedWorld(t, { mode: "stays" });
  await world.prompt("p1", "say a");
  await world.ended("p1");
  const [pid] = world.pids();
  await world.restart();
  await waitFor(() => pid !== undefined && !isAlive(pid), { describe: "the end of the process" });
});

test("H7 the agent gets no variables of Holdfast except harmless and configured ones", async (t) => {
  const secrets = ["HOLDFAST_SECRET_FOR_TEST", "ANTHROPIC_API_KEY", "SSH_AUTH_SOCK", "MY_SERVICE"];
  const before = { ...process.env };
  t.after(() => {
    for (const name of secrets) delete process.env[name];
    Object.assign(process.env, before);
  });
  for (const name of secrets) process.env[name] = "secret";
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say a");
  await world.ended("p1");
  const [line = "{}"] = world.lines("environment");
  const environment: Record<string, string> = JSON.parse(line);
  assert.ok(Object.hasOwn(environment, "STUB_HOME"));
  assert.deepEqual(
    Object.keys(environment).filter((name) => secrets.includes(name)),
    [],
  );
});
