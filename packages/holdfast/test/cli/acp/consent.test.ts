import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";

const cli = openCli({ after });
const { folder } = cli;
const servers = [{ name: "files", command: process.execPath, args: ["--version"], env: [] }];

before(async () => {
  await cli.serve();
});

test("a prompt that is cancelled before the consent request ends as cancelled, without a request", async (t) => {
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder, servers);
  const cancelled = editor.prompt(sessionId, "say never");
  editor.notify("session/cancel", { sessionId });
  assert.deepEqual(await waitFor(() => cancelled, { describe: "the end of the prompt" }), {
    stopReason: "cancelled",
  });
  // The first request for consent is that of the second prompt.
  const next = editor.prompt(sessionId, "say next");
  await answerConsent(editor);
  assert.deepEqual(await next, { stopReason: "end_turn" });
});

test("if a prompt that asks for consent is cancelled alone, the prompt behind it asks, and only waits for its own cancel", async (t) => {
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder, servers);
  const prompt = [{ type: "text", text: "say never" }];
  const cancel = (id: string): Promise<string> => {
    const answer = editor.nextLine();
    editor.notify("$/cancel_request", { requestId: id });
    return waitFor(() => answer, { describe: `the next line after the cancel of ${id}` });
  };
  editor.send("first", "session/prompt", { sessionId, prompt });
  await waitFor(() => editor.asked(), { describe: "the request for consent" });
  editor.send("second", "session/prompt", { sessionId, prompt });
  const next = editor.prompt(sessionId, "say next");
  const ended = await cancel("second");
  assert.deepEqual(JSON.parse(ended), {
    jsonrpc: "2.0",
    id: "second",
    result: { stopReason: "cancelled" },
  });
  await cancel("first");
  await answerConsent(editor);
  assert.deepEqual(await next, { stopReason: "end_turn" });
  assert.match(editor.words(sessionId).join("\n"), /because you did not allow them: files/);
});

test("loading a session again withdraws its consent request and asks for the new servers", async (t) => {
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder, servers);
  const refused = assert.rejects(
    editor.prompt(sessionId, "say never"),
    /loaded again in this editor before the message was sent; send it again$/,
  );
  await waitFor(() => editor.asked(), { describe: "the first request for consent" });
  const mcpServers = [{ ...servers[0], args: ["--help"] }];
  await editor.request("session/load", { sessionId, cwd: folder, mcpServers });
  await waitFor(() => refused.then(() => true), { describe: "the answer to the prompt" });
  assert.equal(editor.takenBack.length, 1);
  const next = editor.prompt(sessionId, "say next");
  assert.match(await answerConsent(editor), /--help/);
  assert.deepEqual(await next, { stopReason: "end_turn" });
});

test("deleting a session ends a prompt that waits for consent", async (t) => {
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder, servers);
  const prompt = editor.prompt(sessionId, "say never");
  await waitFor(() => editor.asked(), { describe: "the request for consent" });
  const deletion = editor.request("session/delete", { sessionId });
  const ends = await waitFor(() => Promise.all([prompt, deletion]), { describe: "both answers" });
  assert.deepEqual(ends, [{ stopReason: "cancelled" }, {}]);
  assert.equal((await editor.leave()).err, "");
});

test("the command ends after the editor has disconnected, even if a prompt waits for consent", async (t) => {
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder, servers);
  editor.prompt(sessionId, "say never").catch(() => {});
  await waitFor(() => editor.asked(), { describe: "the request for consent" });
  const { end, err } = await waitFor(() => editor.leave(), { describe: "the end of the command" });
  assert.deepEqual([end, err], [0, ""]);
});

/** Answers the next request for consent with a no, and returns what it shows. */
async function answerConsent(editor: Editor): Promise<string> {
  const asked = await waitFor(() => editor.asked(), { describe: "the request for consent" });
  asked.choose("no");
  return JSON.stringify(asked.params);
}
