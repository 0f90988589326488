import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";
import type { WorkspaceFixture } from "./workspace-fixture.ts";

// The agent of a session. Each agent has its own model, so that the model calls show which agent has run.

const files = {
  "config/holdfast/config.jsonc": { model: "local/usual" },
  "config/holdfast/agents/looker.md": "---\nmodel: local/looker\n---\nOnly look.",
  "config/holdfast/agents/lead.md": "---\nmodel: local/lead\n---\nYou lead.",
};
const sessionId = "main";

function openFixture(t: TestContext, script: Script): Promise<WorkspaceFixture> {
  return openWorkspaceFixture(t, { connected: true, files, script });
}

async function send(
  { runtime }: WorkspaceFixture,
  promptId: string,
  fields: Partial<Parameters<Runtime["prompt"]>[0]> = {},
): Promise<void> {
  await runtime.prompt({ sessionId, promptId, text: promptId, ...fields });
  await runtime.wait({ sessionId, promptId });
}

function models({ server }: WorkspaceFixture): readonly string[] {
  return server.calls.map(({ model }) => model);
}

test("a run uses the agent of its prompt, else that of the session, else that of the directory", async (t) => {
  const fixture = await openFixture(t, () => says("Done."));
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId, directory });
  await send(fixture, "p1");
  await runtime.setAgent({ sessionId, agent: "looker" });
  await send(fixture, "p2");
  await send(fixture, "p3", { agent: "lead" });
  await runtime.setAgent({ sessionId, agent: null });
  await send(fixture, "p4");
  assert.deepEqual(models(fixture), ["usual", "looker", "lead", "usual"]);
  // The agent of the session is not part of a prompt: the same prompt sent again is the same prompt (P3).
  await send(fixture, "p2");
  await assert.rejects(
    send(fixture, "p2", { agent: "looker" }),
    /p2 already exists with different/,
  );
  assert.equal(models(fixture).length, 4);
});

test("a new agent of a session applies from the next run on", async (t) => {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const fixture = await openFixture(t, ({ messages }) => {
    if (messages.at(-1)?.text !== "p1") return says("Done.");
    started.resolve();
    const call = { id: "1", name: "list", input: { path: "." } };
    return { parts: [{ wait: gate.promise }, { call }] };
  });
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId, directory, agent: "looker" });
  const first = send(fixture, "p1");
  await started.promise;
  const second = send(fixture, "p2");
  await runtime.setAgent({ sessionId, agent: "lead" });
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(models(fixture), ["looker", "looker", "lead"]);
});

test("the result of a background child goes to the agent of the session, which the child does not inherit", async (t) => {
  const fixture = await openFixture(t, ({ messages }) =>
    messages.at(-1)?.text === "p1"
      ? asks({ name: "task", input: { prompt: "Look around", background: true } })
      : says("Done."),
  );
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId, directory, agent: "lead" });
  await send(fixture, "p1");
  let runs = 0;
  for await (const event of runtime.events({ sessionId })) {
    if (event.type === "run.ended") runs += 1;
    if (runs === 2) break;
  }
  assert.deepEqual(models(fixture).toSorted(), ["lead", "lead", "lead", "usual"]);
});

test("an agent that the directory does not have is refused, unless its config cannot be read", async (t) => {
  const fixture = await openFixture(t, () => says("Done."));
  const { runtime, directory } = fixture;
  const create = { sessionId, directory, agent: "looker" };
  await runtime.createSession(create);
  const unknown =
    /There is no agent nobody in this directory\. Available agents: default, lead, looker, demo\./;
  await assert.rejects(runtime.setAgent({ sessionId, agent: "nobody" }), unknown);
  await assert.rejects(
    runtime.createSession({ ...create, sessionId: "s", agent: "nobody" }),
    unknown,
  );
  assert.equal(await runtime.store.lane("s"), null);
  await assert.rejects(runtime.setAgent({ sessionId, agent: "goose" }), /goose is not installed/);
  assert.equal((await runtime.setAgent({ sessionId, agent: "demo" })).agent, "demo");
  await send(fixture, "p1", { text: "say hello" });
  assert.deepEqual(models(fixture), [], "the demo agent calls no model");

  // Repeating the creation works even if the agent no longer exists (P3).
  rmSync(join(directory, "../config/holdfast/agents/looker.md"));
  await fixture.refreshed({ mode: "maintenance", revoke: [] });
  await assert.rejects(runtime.setAgent({ sessionId, agent: "looker" }), /no agent looker/);
  assert.equal((await runtime.createSession(create)).agent, "demo");
  fixture.write("broken/holdfast.jsonc", '{ "agents": ');
  const broken = { sessionId: "broken", directory: join(directory, "../broken") };
  assert.equal((await runtime.createSession({ ...broken, agent: "nobody" })).agent, "nobody");
});

test("child sessions of the demo agent call no model either", async (t) => {
  const fixture = await openFixture(t, () => says("Done."));
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId, directory, agent: "demo" });
  await send(fixture, "p1", { text: "child { child { say inner } }" });
  assert.deepEqual(models(fixture), []);
});

test("a fork keeps the agent of its session", async (t) => {
  const fixture = await openFixture(t, () => says("Done."));
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId, directory });
  const fork = (newSessionId: string) => runtime.forkSession({ sessionId, newSessionId });
  assert.equal((await fork("before")).agent, null);
  await runtime.setAgent({ sessionId, agent: "lead" });
  const copy = await fork("after");
  assert.equal(copy.agent, "lead");
  // A repeated fork does not restore the agent.
  await runtime.setAgent({ sessionId: "after", agent: null });
  assert.equal((await fork("after")).agent, null);
});
