import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import type { Serving } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";
import { startProxy } from "./proxy.ts";

const cli = openCli({ after });
const { folder } = cli;
let server: Serving;
let holdfast: Holdfast;
let editor: Editor;
after(() => editor.running.process.kill("SIGKILL"));

before(async () => {
  server = await cli.serve();
  holdfast = connect({ url: server.url, token: server.token });
  editor = await openEditor({ after: () => {} }, { folder });
});

test("C3 a cancel on an idle session does not affect later prompts", async () => {
  const sessionId = await editor.newSession(folder);
  editor.notify("session/cancel", { sessionId });
  const first = await editor.prompt(sessionId, "say first");
  editor.notify("session/cancel", { sessionId });
  const second = await editor.prompt(sessionId, "say second");
  assert.deepEqual([first, second], [{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
});

test("C1 C6 a cancel ends the editor's own running prompt and no prompt of others", async () => {
  const sessionId = await editor.newSession(folder);
  const session = holdfast.session(sessionId);
  const running = await session.prompt("ask to append theirs.txt done");
  const queued = editor.prompt(sessionId, "append never.txt x");
  // The run of the other client waits for an answer, so the editor's prompt waits in the queue.
  const question = await editor.asked();
  await waitFor(async () => (await session.get()).queued, { describe: "a queued prompt" });
  editor.notify("session/cancel", { sessionId });
  assert.deepEqual(await queued, { stopReason: "cancelled" });
  const next = editor.prompt(sessionId, "say next");
  question.choose("once");
  assert.equal((await running.settled()).status, "completed");
  assert.deepEqual(await next, { stopReason: "end_turn" });
  assert.match(readFileSync(join(folder, "theirs.txt"), "utf8"), /^done/);
  assert.equal(existsSync(join(folder, "never.txt")), false);
  const { items } = await session.prompts();
  const outcomes = items.map(({ outcome }) => [outcome?.status, outcome?.reason]);
  assert.deepEqual(outcomes, [
    ["completed", null],
    ["cancelled", "promptCancel"],
    ["completed", null],
  ]);
});

test("C1 a cancel ends all of the editor's prompts in its session, running and queued", async () => {
  const sessionId = await editor.newSession(folder);
  const prompts = ["stall", "say never"].map((text) => editor.prompt(sessionId, text));
  const queued = async (): Promise<number> => (await holdfast.session(sessionId).get()).queued;
  await waitFor(queued, { describe: "a queued prompt" });
  editor.notify("session/cancel", { sessionId });
  assert.deepEqual(
    await Promise.all(prompts),
    prompts.map(() => ({ stopReason: "cancelled" })),
  );
});

test("C1 C6 a cancel ends steered messages that have not joined a run, and no run of others", async () => {
  const sessionId = await editor.newSession(folder);
  const session = holdfast.session(sessionId);
  const steer = (text: string): Promise<unknown> =>
    editor.request("_session/steering", { sessionId, prompt: [{ type: "text", text }] });
  const outcomes = async (): Promise<unknown[]> => {
    const { items } = await session.prompts();
    return items.map(({ text, outcome }) => [text, outcome?.status ?? null]);
  };
  const running = editor.prompt(sessionId, "stall");
  await waitFor(async () => (await session.get()).runId, { describe: "the run of the editor" });
  assert.deepEqual(await steer("say never"), { outcome: "injected" });
  editor.notify("session/cancel", { sessionId });
  assert.deepEqual(await running, { stopReason: "cancelled" });
  await waitFor(async () => (await session.get()).status === "idle", { describe: "no run" });
  const first = [
    ["stall", "cancelled"],
    ["say never", "cancelled"],
  ];
  assert.deepEqual(await outcomes(), first);

  const theirs = await session.prompt("stall");
  await waitFor(async () => (await session.get()).runId, { describe: "the run of the other" });
  assert.deepEqual(await steer("say never"), { outcome: "injected" });
  editor.notify("session/cancel", { sessionId });
  const isWithdrawn = async (): Promise<boolean> => (await session.get()).queued === 0;
  await waitFor(isWithdrawn, { describe: "the withdrawn message" });
  assert.deepEqual(await outcomes(), [...first, ["stall", null], ["say never", "cancelled"]]);
  await theirs.withdraw();
  assert.equal((await theirs.settled()).status, "cancelled");
});

test("C1 a cancel sent together with its prompt, or before the accept is answered, ends only that prompt", async (t) => {
  const sessionId = await editor.newSession(folder);
  const hasty = editor.prompt(sessionId, "append hasty.txt x");
  editor.notify("session/cancel", { sessionId });
  const after = editor.prompt(sessionId, "say after");
  assert.deepEqual(await hasty, { stopReason: "cancelled" });
  assert.deepEqual(await after, { stopReason: "end_turn" });
  assert.equal(existsSync(join(folder, "hasty.txt")), false);

  const slow = await slowAccept(t, server);
  const environment = { HOLDFAST_SERVER: slow.url, HOLDFAST_TOKEN: server.token };
  const other = await openEditor(t, { folder, environment });
  const there = await other.newSession(folder);
  const unanswered = other.prompt(there, "stall");
  const unsent = other.prompt(there, "say unsent");
  await slow.accepted;
  other.notify("session/cancel", { sessionId: there });
  // The answer shows that the cancel has arrived.
  await other.request("session/list", {});
  const behind = other.prompt(there, "say behind");
  slow.release();
  assert.deepEqual(await unanswered, { stopReason: "cancelled" });
  assert.deepEqual(await unsent, { stopReason: "cancelled" });
  assert.deepEqual(await behind, { stopReason: "end_turn" });
  const { items } = await holdfast.session(there).prompts();
  assert.deepEqual(
    items.map(({ text }) => text),
    ["stall", "say behind"],
  );
});

test("C1 C6 a steered message that is cancelled before it is sent is never sent", async (t) => {
  const slow = await slowAccept(t, server);
  const environment = { HOLDFAST_SERVER: slow.url, HOLDFAST_TOKEN: server.token };
  const other = await openEditor(t, { folder, environment });
  const sessionId = await other.newSession(folder);
  const session = holdfast.session(sessionId);
  const theirs = await session.prompt("stall");
  await waitFor(async () => (await session.get()).runId, { describe: "the run of the other" });
  const steer = (text: string): Promise<unknown> =>
    other.request("_session/steering", { sessionId, prompt: [{ type: "text", text }] });
  const first = steer("say first");
  await slow.accepted;
  // Waits until the server has answered the first message.
  const second = steer("say second");
  other.notify("session/cancel", { sessionId });
  // The answer shows that the cancel has arrived.
  await other.request("session/list", {});
  slow.release();
  await waitFor(() => Promise.all([first, second]), { describe: "the answers to both messages" });
  const { items } = await session.prompts();
  assert.deepEqual(
    items.map(({ text, outcome }) => [text, outcome?.status ?? null]),
    [
      ["stall", null],
      ["say first", "cancelled"],
    ],
  );
  await theirs.withdraw();
});

test("C1 L6 a cancel reaches steered messages and queued prompts before the run, so that none starts", async (t) => {
  const withdrawn: string[] = [];
  const released = Promise.withResolvers<void>();
  const { url } = await startProxy(t, server, {
    before: async ({ method, path }) => {
      if (method !== "DELETE") return;
      withdrawn.push(basename(path));
      await released.promise;
    },
  });
  const environment = { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: server.token };
  const other = await openEditor(t, { folder, environment });
  const sessionId = await other.newSession(folder);
  const session = holdfast.session(sessionId);
  const running = other.prompt(sessionId, "stall");
  await waitFor(async () => (await session.get()).runId, { describe: "the run of the editor" });
  const queued = other.prompt(sessionId, "say queued");
  await waitFor(async () => (await session.get()).queued, { describe: "the queued prompt" });
  const message = { sessionId, prompt: [{ type: "text", text: "say never" }] };
  assert.deepEqual(await other.request("_session/steering", message), { outcome: "injected" });
  other.notify("session/cancel", { sessionId });
  await waitFor(() => withdrawn.length, { describe: "the first cancel" });
  // The answer shows that the editor's process has sent what it could send.
  await other.request("session/list", {});
  assert.equal(withdrawn.length, 1);
  released.resolve();
  assert.deepEqual(await running, { stopReason: "cancelled" });
  assert.deepEqual(await queued, { stopReason: "cancelled" });
  const { items } = await session.prompts();
  const found = withdrawn.map((id) => items.find(({ promptId }) => promptId === id));
  assert.deepEqual(
    found.map((prompt) => [prompt?.text, prompt?.outcome?.status]),
    [
      ["say never", "cancelled"],
      ["say queued", "cancelled"],
      ["stall", "cancelled"],
    ],
  );
});

/** A proxy to the server that holds back the first accept response until released. */
async function slowAccept(
  t: { after(work: () => void): void },
  serving: Serving,
): Promise<{ url: string; accepted: Promise<void>; release: () => void }> {
  const accepted = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { url } = await startProxy(t, serving, {
    answered: async ({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/prompts")) return;
      accepted.resolve();
      await released.promise;
    },
  });
  return { url, accepted: accepted.promise, release: released.resolve };
}
