import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf } from "../../../src/base/json-rpc.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openHostedWorld } from "./world.ts";

// Models, modes and commands that a hosted agent offers.

test("H2 a chosen model and mode are sent before the turn, stay, and apply after a restart", async (t) => {
  const world = await openHostedWorld(t, { mode: "offers" });
  const send = async (promptId: string, fields: object = {}): Promise<string> => {
    await world.prompt(promptId, "say hello", fields);
    return (await world.ended(promptId)).ended;
  };
  assert.equal(await send("p1"), "completed");
  assert.deepEqual(world.lines("choices"), []);
  assert.equal(await send("p2", { model: "large", agentMode: "yolo" }), "completed");
  assert.equal(await send("p3"), "completed");
  assert.deepEqual(world.lines("choices"), ["model large", "mode yolo"]);
  assert.deepEqual(world.lines("used"), ["small default", "large yolo", "large yolo"]);
  await world.restart();
  assert.equal(await send("p4"), "completed");
  assert.deepEqual(world.lines("used").at(-1), "large yolo");
  const answers = (await world.conversation()).flatMap((message) =>
    message.role === "assistant" ? [message.extra] : [],
  );
  const names = answers.map((extra) => fieldsOf(extra)["model"]);
  assert.deepEqual(new Set(names), new Set(["stub 1.0.0, small", "stub 1.0.0, large"]));
});

test("H2 models and modes that are config options are set as config options", async (t) => {
  const world = await openHostedWorld(t, { mode: "has options" });
  await world.prompt("p1", "say hello", { model: "large", agentMode: "yolo" });
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.deepEqual(world.lines("used"), ["large yolo"]);
});

test("an unknown model or mode of a hosted agent fails the prompt and names the known ones", async (t) => {
  const world = await openHostedWorld(t, { mode: "offers" });
  await world.prompt("p1", "say hello", { model: "huge" });
  await world.prompt("p2", "say hello", { agentMode: "sleep" });
  await world.prompt("p3", "say hello");
  assert.deepEqual(
    [(await world.ended("p1")).text, (await world.ended("p2")).text],
    [
      'stub has no model "huge". Choose one of: small, large.',
      'stub has no mode "sleep". Choose one of: default, plan, yolo.',
    ],
  );
  assert.equal((await world.ended("p3")).ended, "completed");
  assert.deepEqual(world.lines("used"), ["small default"]);
});

test("plan mode of a session is plan mode of a hosted agent that has one", async (t) => {
  const world = await openHostedWorld(t, { mode: "offers" });
  const setMode = (mode: "plan" | "ask"): Promise<unknown> =>
    world.runtime.setMode({ sessionId: "main", mode });
  await setMode("plan");
  await world.prompt("p1", "say hello", { agentMode: "yolo" });
  await world.ended("p1");
  await setMode("ask");
  await world.prompt("p2", "say hello");
  await world.ended("p2");
  assert.deepEqual(world.lines("used"), ["small plan", "small yolo"]);
});

test("choices of a hosted agent are listed for its directory, also after a restart", async (t) => {
  const world = await openHostedWorld(t, { mode: "offers" });
  const before = { models: [], modes: [], commands: [] };
  assert.deepEqual(await world.offered(), before);
  await world.prompt("p1", "say hello");
  await world.ended("p1");
  const after = {
    models: [
      { id: "small", name: "Model small", description: "" },
      { id: "large", name: "Model large", description: "" },
    ],
    modes: ["default", "plan", "yolo"].map((id) => ({
      id,
      name: `Mode ${id}`,
      description: "",
    })),
    commands: [{ name: "review", description: "Review the changes" }],
  };
  assert.deepEqual(await world.offered(), after);
  await world.restart();
  assert.deepEqual(await world.offered(), after);
});

test("a command of a hosted agent is sent to it as text, and an unknown one is refused", async (t) => {
  const world = await openHostedWorld(t, { mode: "offers" });
  const use = async (promptId: string, name: string): Promise<string | undefined> => {
    await world.prompt(promptId, "", { command: { name, arguments: "it" } });
    await world.ended(promptId);
    return world.lines("prompts").at(-1);
  };
  assert.equal(await use("p1", "anything"), JSON.stringify("/anything it"));
  assert.equal(await use("p2", "review"), JSON.stringify("/review it"));
  await assert.rejects(
    use("p3", "anything"),
    /there is no command \/anything \(there are: .*\/review/,
  );
});

test("a hosted agent of a session answers its prompts and gets its own commands", async (t) => {
  const config = { agent: "default" };
  const world = await openHostedWorld(t, { mode: "offers", config });
  const answer = async (promptId: string, text: string, fields = {}): Promise<string | null> => {
    await world.prompt(promptId, text, fields);
    return (await world.ended(promptId)).text;
  };
  assert.equal(await answer("p1", "say one"), "[demo agent] one");
  await world.runtime.setAgent({ sessionId: "main", agent: "stub" });
  assert.equal(await answer("p2", "say two"), "two");
  await answer("p3", "", { command: { name: "review", arguments: "it" } });
  assert.equal(world.lines("prompts").at(-1), JSON.stringify("/review it"));
  assert.equal(await answer("p4", "say four", { agent: "demo" }), "[demo agent] four");
});

test("a run continues with its agent after a restart, although the session has another agent by then", async (t) => {
  const world = await openHostedWorld(t, { config: { agent: "default" } });
  await world.runtime.setAgent({ sessionId: "main", agent: "stub" });
  await world.prompt("p1", "wait go\nsay done");
  await waitFor(() => world.lines("prompts").length === 1, { describe: "the turn of the stub" });
  await world.runtime.setAgent({ sessionId: "main", agent: null });
  await world.restart();
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.match(world.lines("prompts")[1] ?? "", /Your previous turn was interrupted/);
  await world.prompt("p2", "say two");
  assert.equal((await world.ended("p2")).text, "[demo agent] two");
});
