import assert from "node:assert/strict";
import { basename } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import type { Serving } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import { startProxy } from "./proxy.ts";

const cli = openCli({ after });
const { folder } = cli;
let server: Serving;
let holdfast: Holdfast;

before(async () => {
  server = await cli.serve();
  holdfast = connect(server);
});

test("C1 L6 a cancel waits for a prompt that is being sent, so that it starts no run after the cancelled one", async (t) => {
  const withdrawn: string[] = [];
  const sending = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let sent = 0;
  const { url } = await startProxy(t, server, {
    before: async ({ method, path }) => {
      if (method === "DELETE") withdrawn.push(basename(path));
      if (method !== "POST" || !path.endsWith("/prompts")) return;
      sent += 1;
      if (sent === 1) return;
      sending.resolve();
      await released.promise;
    },
  });
  const environment = { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: server.token };
  const editor = await openEditor(t, { folder, environment });
  const sessionId = await editor.newSession(folder);
  const session = holdfast.session(sessionId);
  const running = editor.prompt(sessionId, "stall");
  const run = await waitFor(async () => (await session.get()).runId, { describe: "the run" });
  const late = editor.prompt(sessionId, "say never");
  await waitFor(() => sending.promise.then(() => true), { describe: "the second prompt" });
  editor.notify("session/cancel", { sessionId });
  // The answer shows that the editor's process has sent what it could send.
  await editor.request("session/list", {});
  assert.deepEqual(withdrawn, []);
  released.resolve();
  const ends = await waitFor(() => Promise.all([running, late]), { describe: "both ends" });
  assert.deepEqual(ends, [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
  const { items } = await session.prompts();
  assert.deepEqual(
    items.map(({ text, outcome }) => [text, outcome?.status, outcome?.runId]),
    [
      ["stall", "cancelled", run],
      ["say never", "cancelled", null],
    ],
  );
  assert.deepEqual(withdrawn, items.map(({ promptId }) => promptId).toReversed());
});

test("C1 a cancelled prompt that completes before the cancel arrives ends as cancelled for the editor", async (t) => {
  const withdrawn = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { url } = await startProxy(t, server, {
    before: async ({ method }) => {
      if (method !== "DELETE") return;
      withdrawn.resolve();
      await released.promise;
    },
  });
  const environment = { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: server.token };
  const editor = await openEditor(t, { folder, environment });
  const sessionId = await editor.newSession(folder);
  const prompt = editor.prompt(sessionId, "ask one; say end");
  const question = await waitFor(() => editor.asked(), { describe: "the ask" });
  editor.notify("session/cancel", { sessionId });
  await waitFor(() => withdrawn.promise.then(() => true), { describe: "the cancel" });
  question.choose("decide");
  assert.deepEqual(await waitFor(() => prompt, { describe: "the end of the prompt" }), {
    stopReason: "cancelled",
  });
  const { items } = await holdfast.session(sessionId).prompts();
  assert.deepEqual(
    items.map(({ outcome }) => outcome?.status),
    ["completed"],
  );
  released.resolve();
});

test("C1 a cancelled prompt that the server has stored is cancelled there, even if the answer is lost", async (t) => {
  const stored = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { url } = await startProxy(t, server, {
    answered: async ({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/prompts")) return "pass";
      stored.resolve();
      await released.promise;
      return "fail";
    },
  });
  const environment = { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: server.token };
  const editor = await openEditor(t, { folder, environment });
  const sessionId = await editor.newSession(folder);
  const failed = assert.rejects(editor.prompt(sessionId, "stall"), /the proxy has failed/);
  await waitFor(() => stored.promise.then(() => true), { describe: "the stored prompt" });
  editor.notify("session/cancel", { sessionId });
  // The answer shows that the editor's process has handled the cancel.
  await editor.request("session/list", {});
  released.resolve();
  await waitFor(() => failed.then(() => true), { describe: "the failure" });
  await waitFor(() => holdfast.session(sessionId).prompts(), {
    describe: "the cancelled prompt",
    until: ({ items }) => items[0]?.outcome?.status === "cancelled",
  });
});
