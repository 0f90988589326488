import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";
import type { WorkspaceFixture } from "./workspace-fixture.ts";

const offeredKey = "sk-offered-0123456789abcdef";
const storedKey = "sk-stored-0123456789abcdef";
const sessionId = "session";

test("after a disconnect, the next run uses neither the server's key nor the key that a terminal offered", async (t) => {
  const fixture = await openWithOffer(t);
  assert.equal(await prompt(fixture, "before"), "completed");
  assert.equal(await fixture.setup.providers.disconnect("local"), true);
  await fixture.refreshed({});
  assert.equal(await prompt(fixture, "after"), "failed: modelGone");
  assert.deepEqual(keysOf(fixture.server.calls), [offeredKey]);
});

test("after a connect, the next run uses the stored key instead of the key that a terminal offered", async (t) => {
  const fixture = await openWithOffer(t);
  assert.equal(await prompt(fixture, "before"), "completed");
  const baseUrl = fixture.server.addresses.openaiChat;
  const problem = await fixture.setup.providers.connect("local", { key: storedKey, baseUrl });
  assert.equal(problem, null);
  await fixture.refreshed({});
  assert.equal(await prompt(fixture, "after"), "completed");
  assert.deepEqual(keysOf(fixture.server.calls), [offeredKey, storedKey]);
});

/** Opens a server that has its own key, and a session for which a terminal has offered another key. */
async function openWithOffer(t: TestContext): Promise<WorkspaceFixture> {
  const fixture = await openWorkspaceFixture(t, { connected: true, script: () => says("Done.") });
  const { directory, runtime, server, setup } = fixture;
  await runtime.createSession({ sessionId, directory });
  const offered = { name: "local", key: offeredKey, baseUrl: server.addresses.openaiChat };
  const used = await setup.providers.offer({ sessionId, directory }, [offered]);
  assert.deepEqual(used, ["local"]);
  return fixture;
}

async function prompt({ runtime }: WorkspaceFixture, promptId: string): Promise<string> {
  await runtime.prompt({ sessionId, promptId, text: "Work", model: "local/test" });
  const outcome = (await runtime.wait({ sessionId, promptId }))?.outcome ?? null;
  assert.ok(outcome, "the prompt is settled");
  return outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`;
}

function keysOf(calls: readonly ModelCall[]): string[] {
  return calls.map(({ headers }) => (headers["authorization"] ?? "").replace("Bearer ", ""));
}
