import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Script } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";
import type { WorkspaceFixture } from "./workspace-fixture.ts";

const serverKey = "sk-environment-0123456789abcdef";
const offeredKey = "sk-offered-0123456789abcdef";
const storedKey = "sk-stored-0123456789abcdef";
const sessionId = "session";

test("after a disconnect, the next run uses neither the server's key nor the key that a terminal offered", async (t) => {
  const fixture = await openWithOffer(t, { connected: true, script: () => says("Done.") });
  assert.equal(await prompt(fixture, "before"), "completed");
  assert.equal(await fixture.setup.providers.disconnect("local"), true);
  await fixture.refreshed({});
  assert.equal(await prompt(fixture, "after"), "failed: modelGone");
  assert.deepEqual(keysOf(fixture.server.calls), [offeredKey]);
});

test("after a connect, the next run uses the stored key instead of the key that a terminal offered", async (t) => {
  const fixture = await openWithOffer(t, { connected: true, script: () => says("Done.") });
  assert.equal(await prompt(fixture, "before"), "completed");
  const baseUrl = fixture.server.addresses.openaiChat;
  const problem = await fixture.setup.providers.connect("local", { key: storedKey, baseUrl });
  assert.equal(problem, null);
  await fixture.refreshed({});
  assert.equal(await prompt(fixture, "after"), "completed");
  assert.deepEqual(keysOf(fixture.server.calls), [offeredKey, storedKey]);
});

test("M5 a forced disconnect cancels the run that uses an offered key, even if the server has another key", async (t) => {
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  const script = waitingFor(gate.promise);
  const fixture = await openWithOffer(t, { script, connected: true });
  const { runtime, server, setup } = fixture;
  await send(fixture, "cut");
  await called(fixture);
  assert.equal(await setup.providers.disconnect("local"), true);
  const ended = fixture.nextEnd("provider");
  await fixture.refreshed({ mode: "force", revoke: ["local"] });
  assert.equal(await endOf(fixture, "cut"), "cancelled: force");
  assert.equal((await ended).status, "completed");
  assert.equal(await prompt(fixture, "after"), "failed: modelGone");
  assert.deepEqual(keysOf(server.calls), [offeredKey]);

  // The connect makes the key of the server's environment usable again, and so a new offer of another key.
  assert.equal(await setup.providers.connect("local", {}), null);
  await fixture.refreshed({});
  gate.resolve();
  assert.equal(await prompt(fixture, "connected"), "completed");
  assert.deepEqual(await offer(fixture), ["local"]);
  assert.equal(await prompt(fixture, "offered"), "completed");
  assert.deepEqual(keysOf(server.calls), [offeredKey, serverKey, offeredKey]);
  assert.equal((await runtime.store.lane(sessionId))?.active ?? null, null);
});

test("M5 a forced disconnect stops a provider that only a terminal has offered, until it is connected", async (t) => {
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  const fixture = await openWithOffer(t, { script: waitingFor(gate.promise) });
  const { server, setup } = fixture;
  await send(fixture, "cut");
  await called(fixture);
  // The terminal replaces its offer. The run still uses the old one.
  assert.deepEqual(await offer(fixture), ["local"]);
  assert.equal(await setup.providers.disconnect("local"), true);
  await fixture.refreshed({ mode: "force", revoke: ["local"] });
  assert.equal(await endOf(fixture, "cut"), "cancelled: force");
  assert.deepEqual(await offer(fixture), []);
  assert.equal(await prompt(fixture, "after"), "failed: modelGone");
  assert.deepEqual(keysOf(server.calls), [offeredKey]);

  gate.resolve();
  const baseUrl = server.addresses.openaiChat;
  assert.equal(await setup.providers.connect("local", { key: storedKey, baseUrl }), null);
  await fixture.refreshed({});
  assert.equal(await prompt(fixture, "connected"), "completed");
  assert.deepEqual(keysOf(server.calls), [offeredKey, storedKey]);
});

test("M1 M5 a disconnect lets a run continue with an offered key, until the disconnect is forced", async (t) => {
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  const fixture = await openWithOffer(t, { script: waitingFor(gate.promise) });
  const { runtime, setup } = fixture;
  await send(fixture, "kept");
  await called(fixture);
  assert.equal(await setup.providers.disconnect("local"), true);
  const { actionId, status, waitingFor: runs } = await fixture.refreshed({ revoke: ["local"] });
  assert.deepEqual([status, runs.length], ["deferred", 1]);
  const actor = { kind: "client", id: "test" } as const;
  await runtime.maintenance.force({ actionId, actor });
  assert.equal(await endOf(fixture, "kept"), "cancelled: force");
});

test("a disconnect of a provider that nobody has offered or configured is refused", async (t) => {
  const fixture = await openWithOffer(t, { script: () => says("Done.") });
  assert.equal(await fixture.setup.providers.disconnect("openrouter"), false);
});

/** Opens a server and a session for which a terminal has offered a key. */
async function openWithOffer(
  t: TestContext,
  options: Pick<Parameters<typeof openWorkspaceFixture>[1], "script" | "connected">,
): Promise<WorkspaceFixture> {
  const fixture = await openWorkspaceFixture(t, options);
  await fixture.runtime.createSession({ sessionId, directory: fixture.directory });
  assert.deepEqual(await offer(fixture), ["local"]);
  return fixture;
}

function offer({ directory, server, setup }: WorkspaceFixture): Promise<readonly string[]> {
  const offered = { name: "local", key: offeredKey, baseUrl: server.addresses.openaiChat };
  return setup.providers.offer({ sessionId, directory }, [offered]);
}

/** The model's answer to each call, after the gate has opened. */
function waitingFor(gate: Promise<void>): Script {
  return () => ({ parts: [{ wait: gate }, { text: "Done." }] });
}

async function send({ runtime }: WorkspaceFixture, promptId: string): Promise<void> {
  await runtime.prompt({ sessionId, promptId, text: "Work", model: "local/test" });
}

async function endOf({ runtime }: WorkspaceFixture, promptId: string): Promise<string> {
  const outcome = (await runtime.wait({ sessionId, promptId }))?.outcome ?? null;
  assert.ok(outcome, "the prompt is settled");
  return outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`;
}

async function prompt(fixture: WorkspaceFixture, promptId: string): Promise<string> {
  await send(fixture, promptId);
  return endOf(fixture, promptId);
}

async function called({ server }: WorkspaceFixture): Promise<void> {
  await waitFor(() => server.calls.length, {
    describe: "a model call",
    until: (count) => count > 0,
  });
}

function keysOf(calls: readonly ModelCall[]): string[] {
  return calls.map(({ headers }) => (headers["authorization"] ?? "").replace("Bearer ", ""));
}
