import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import type { Fact } from "../../../src/agent/agent.ts";
import { systemClock } from "../../../src/base/time.ts";
import { createConversations } from "../../../src/log/conversation.ts";
import { ownTool } from "./own-tool.ts";
import { agentFor, openWorld } from "./world.ts";
import type { World } from "./world.ts";

const forever = new Promise<never>(() => {});

/** Sends the text, and then nothing until the promise resolves. */
function saysThen(words: string, wait: Promise<unknown>, rest = ""): Reply {
  return { parts: [{ text: words }, { wait }, { text: rest }] };
}

test("L6 a steer joins before the next model call, and its prompt settles with the run", async (t) => {
  const go = Promise.withResolvers<void>();
  const world = await openWorld(t, {
    script: inOrder(
      (): Reply => ({
        parts: [{ wait: go.promise }, { call: { id: "c1", name: "list", input: { path: "." } } }],
        finish: "calls",
      }),
      says("Both done."),
    ),
  });
  await world.prompt("p1");
  await waitFor(() => world.server.calls.length, {
    describe: "a model call",
    until: (count) => count === 1,
  });
  await world.prompt("p2", { delivery: "steer" });
  go.resolve();
  const both = { ended: "completed", text: "Both done." };
  assert.deepEqual([await world.outcome("p1"), await world.outcome("p2")], [both, both]);
  assert.deepEqual(saidIn(world, 1), ["user: text of p1", "tool", "user: text of p2"]);
});

test("L6 a steer during the last answer makes the run continue", async (t) => {
  const go = Promise.withResolvers<void>();
  const world = await openWorld(t, {
    script: inOrder(saysThen("First.", go.promise), says("Second.")),
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "a delta with First",
    until: (deltas) => deltas.some(({ text }) => text.includes("First")),
  });
  await world.prompt("p2", { delivery: "steer" });
  go.resolve();
  const both = { ended: "completed", text: "Second." };
  assert.deepEqual([await world.outcome("p1"), await world.outcome("p2")], [both, both]);
  assert.deepEqual(saidIn(world, 1), ["user: text of p1", "First.", "user: text of p2"]);
});

test("C5 T1 a cancel during an answer keeps the partial text, marked, and the next prompt sees it", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(saysThen("Half of an", forever), says("Whole.")),
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "a delta with Half",
    until: (deltas) => deltas.some(({ text }) => text.includes("Half")),
  });
  await world.holdfast().cancel({ sessionId: "main" });
  assert.equal((await world.outcome("p1")).ended, "cancelled: sessionCancel");
  const answers = (await world.log()).filter((event) => event.type === "step.answered");
  assert.deepEqual(
    answers.map(({ interrupted }) => interrupted),
    [true],
  );
  await waitFor(() => world.server.calls[0]?.gone.aborted === true, {
    describe: "a call that is cut off",
  });
  await world.prompt("p2");
  assert.equal((await world.outcome("p2")).text, "Whole.");
  assert.deepEqual(saidIn(world, 1), [
    "user: text of p1",
    "Half of an\n[stopped here]",
    "user: text of p2",
  ]);
});

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`L6 C5 T1 requests after a steer or a partial answer are valid over ${protocol}`, async (t) => {
    const go = Promise.withResolvers<void>();
    const world = await openWorld(t, {
      protocol,
      files: { "a.txt": "one\n" },
      script: inOrder(
        async (): Promise<Reply> => {
          await go.promise;
          return asks(
            { name: "read", input: { path: "a.txt" }, id: "a" },
            { name: "read", input: { path: "none.txt" }, id: "b" },
          );
        },
        saysThen("Half of", forever),
        says("Whole."),
      ),
    });
    await world.prompt("p1");
    await waitFor(() => world.server.calls.length, {
      describe: "a model call",
      until: (count) => count === 1,
    });
    await world.prompt("p2", { delivery: "steer" });
    go.resolve();
    await waitFor(() => world.deltas, {
      describe: "a delta with Half",
      until: (deltas) => deltas.some(({ text }) => text.includes("Half")),
    });
    await world.holdfast().cancel({ sessionId: "main" });
    const cancelled = [await world.outcome("p1"), await world.outcome("p2")];
    assert.deepEqual(
      cancelled.map(({ ended }) => ended),
      ["cancelled: sessionCancel", "cancelled: sessionCancel"],
    );
    await world.prompt("p3");
    assert.deepEqual(await world.outcome("p3"), { ended: "completed", text: "Whole." });
    const said = world.server.calls[2]?.messages.map(({ text }) => text).join("\n") ?? "";
    assert.match(
      said,
      /text of p1[^]+one[^]+text of p2[^]+Half of\n\[stopped here\][^]+text of p3/,
    );
  });
}

test("C5 T1 a cancel during a tool call ends all its processes, and the call is interrupted", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(
      asks(
        {
          name: "shell",
          input: { command: "(trap '' TERM; sleep 987 & setsid sleep 987 & wait) & echo up; wait" },
        },
        { name: "shell", input: { command: "echo never" } },
      ),
      says("Good."),
    ),
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "a delta with up",
    until: (deltas) => deltas.some(({ text }) => text.includes("up")),
  });
  await waitFor(() => processesWith(world).length, {
    describe: "three processes",
    until: (count) => count >= 3,
  });
  await world.holdfast().cancel({ sessionId: "main" });
  assert.equal((await world.outcome("p1")).ended, "cancelled: sessionCancel");
  assert.deepEqual(processesWith(world), []);
  const ends = (await world.log()).flatMap((event) =>
    event.type === "tool.ended" ? [event.status] : [],
  );
  assert.deepEqual(ends, ["interrupted", "interrupted"]);
  await world.prompt("p2");
  assert.equal((await world.outcome("p2")).ended, "completed");
  const [first = "", second = ""] =
    world.server.calls[1]?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
  assert.match(first, /^up\n/);
  assert.match(first, /stopped before it ended/);
  assert.match(second, /stopped before it ended/);
});

test("M9 a drain during an answer stores none of it, and the next process asks the model again", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(saysThen("Half of an", forever), says("Whole.")),
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "a delta with Half",
    until: (deltas) => deltas.some(({ text }) => text.includes("Half")),
  });
  await world.restart(0);
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Whole." });
  assert.deepEqual(saidIn(world, 1), ["user: text of p1"]);
  const types = (await world.log()).map(({ type }) => type);
  assert.deepEqual(types.slice(3), [
    "step.opened",
    "run.handedOver",
    "run.resumed",
    "step.answered",
    "prompt.settled",
    "run.ended",
  ]);
});

test("M9 R2 a drain during a tool call reports the stopped call, and the next process runs the others", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(
      asks(
        { name: "shell", input: { command: "echo up; sleep 987" } },
        { name: "shell", input: { command: "echo second" } },
        { name: "list", input: { path: "." } },
      ),
      says("Done."),
    ),
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "a delta with up",
    until: (deltas) => deltas.some(({ text }) => text.includes("up")),
  });
  await world.restart(0);
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Done." });
  const ends = (await world.log()).flatMap((event) =>
    event.type === "tool.ended" ? [event.status] : [],
  );
  assert.deepEqual(ends, ["interrupted", "completed", "completed"]);
  assert.deepEqual(processesWith(world), []);
});

test("M9 R2 a repeatable call is run again by the next process", async (t) => {
  let runs = 0;
  const look = ownTool("look", async (_, { signal }) => {
    runs += 1;
    if (runs === 2) return { status: "completed", output: "seen" };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { status: "failed", output: "stopped" };
  });
  const world = await openWorld(t, {
    setup: { tools: [look] },
    script: inOrder(asks({ name: "look", input: {} }), says("Done.")),
  });
  await world.prompt("p1");
  await waitFor(() => runs, { describe: "a run", until: (count) => count === 1 });
  await world.restart(0);
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Done." });
  const ends = (await world.log()).flatMap((event) =>
    event.type === "tool.ended" ? [event.status] : [],
  );
  assert.deepEqual({ ends, runs }, { ends: ["completed"], runs: 2 });
});

test("R1 a run that was interrupted after its last answer ends without another model call", async (t) => {
  const world = await openWorld(t, { script: inOrder(says("All done."), says("Once more.")) });
  await world.prompt("p1");
  await world.outcome("p1");
  const run = (await world.log()).find((event) => event.type === "run.started");
  assert(run?.type === "run.started");
  const conversation = await createConversations(world.holdfast().store, systemClock).read("main");
  const facts: Fact[] = [];
  const resumed = agentFor({}, { server: world.server, folder: world.directory }).run({
    sessionId: "main",
    runId: run.runId,
    attempt: 2,
    directory: world.directory,
    workspace: { generation: "1", directory: world.directory, setup: null },
    prompts: [],
    conversation: async () => conversation,
    attachment: () => assert.fail("nothing is read"),
    openCalls: [],
    signal: new AbortController().signal,
    mode: () => assert.fail("nothing is done"),
    mayAct: () => assert.fail("nothing is done"),
    boundary: () => assert.fail("no step is opened"),
    nextSteer: () => assert.fail("no steer is awaited"),
    ask: () => assert.fail("nobody is asked"),
    child: () => assert.fail("nothing is sent"),
    background: () => assert.fail("nothing is sent"),
    childrenEnded: () => assert.fail("nothing is sent"),
  });
  for await (const fact of resumed) facts.push(fact);
  assert.deepEqual(facts, [{ type: "result", text: "All done." }]);
  assert.equal(world.server.calls.length, 1);
});

test("M9 C7 after a drain, parent and child continue, and the child's answer arrives", async (t) => {
  const go = Promise.withResolvers<void>();
  const world = await openWorld(t, {
    script: async ({ messages }) => {
      const first = messages[0]?.text ?? "";
      if (first === "look into it") {
        await go.promise;
        return says("the child's words");
      }
      if (messages.length === 1) return asks({ name: "task", input: { prompt: "look into it" } });
      return says(`It said: ${messages.at(-1)?.text}`);
    },
  });
  await world.prompt("p1");
  await waitFor(() => world.server.calls.length, {
    describe: "two model calls",
    until: (count) => count === 2,
  });
  await world.restart(0);
  go.resolve();
  assert.deepEqual(await world.outcome("p1"), {
    ended: "completed",
    text: "It said: the child's words",
  });
});

/** Content of a request to the model: texts of users, its own texts, and whether there were results. */
function saidIn(world: World, index: number): string[] {
  return (world.server.calls[index]?.messages ?? []).flatMap(({ role, text, results }) => {
    if (results.length > 0) return ["tool"];
    if (role === "user") return [`user: ${text}`];
    return text === "" ? [] : [text];
  });
}

/** The processes whose working directory is the directory of this test. */
function processesWith(world: World): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      if (!existsSync(`/proc/${pid}/cwd`)) return false;
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      const status = readFileSync(`/proc/${pid}/stat`, "latin1");
      const isGone = /\) [ZX] /.test(status);
      return !isGone && environment.includes(`PWD=${world.directory}`);
    } catch {
      return false;
    }
  });
}
