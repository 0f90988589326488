import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";

const cli = openCli({ after });
const { folder } = cli;
let holdfast: Holdfast;
let editor: Editor;
after(() => editor.running.process.kill("SIGKILL"));

before(async () => {
  const { url, token } = await cli.serve();
  holdfast = connect({ url, token });
  editor = await openEditor({ after: () => {} }, { folder });
});

test("C6 closing a session cancels the prompts of this editor and no others", async () => {
  const sessionId = await editor.newSession(folder);
  const own = editor.prompt(sessionId, "words 500 every 20ms");
  await editor.until(sessionId, ({ content }) => content?.text?.includes("word-1") === true);
  const other = await holdfast.session(sessionId).prompt("say by another client");
  assert.deepEqual(await editor.request("session/close", { sessionId }), {});
  assert.deepEqual(await own, { stopReason: "cancelled" });
  assert.equal((await other.settled()).status, "completed");
  assert.doesNotMatch(editor.words(sessionId).join("\n"), /by another client/);
  await assert.rejects(
    editor.request("session/close", { sessionId }),
    /is not open in this editor/,
  );
  await editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  assert.match(editor.words(sessionId).join("\n"), /\[demo agent\] by another client/);
});

test("deleting a session cancels its work and removes it from the list; deleting it again is no error", async () => {
  const sessionId = await editor.newSession(folder);
  const own = editor.prompt(sessionId, "words 500 every 20ms");
  await editor.until(sessionId, ({ content }) => content?.text?.includes("word-1") === true);
  assert.deepEqual(await editor.request("session/delete", { sessionId }), {});
  assert.deepEqual(await own, { stopReason: "cancelled" });
  const { sessions } = await editor.request<{ sessions: { sessionId: string }[] }>(
    "session/list",
    {},
  );
  assert.equal(
    sessions.some((session) => session.sessionId === sessionId),
    false,
  );
  assert.deepEqual(await editor.request("session/delete", { sessionId }), {});
  assert.deepEqual(await editor.request("session/delete", { sessionId: "never-existed" }), {});
});

test("L2 a steer joins the active run; without one the editor is asked for a prompt, or it becomes one", async () => {
  const sessionId = await editor.newSession(folder);
  const running = editor.prompt(sessionId, "ask to append steered.txt x; say end");
  const question = await editor.asked();
  const steer = (text: string, meta: object = {}): Promise<unknown> =>
    editor.request("_session/steering", { sessionId, prompt: [{ type: "text", text }], ...meta });
  assert.deepEqual(await steer("also this"), { outcome: "injected" });
  question.choose("no");
  assert.deepEqual(await running, { stopReason: "end_turn" });
  const { items } = await holdfast.session(sessionId).prompts();
  assert.deepEqual(
    items.map(({ text, delivery }) => [text, delivery]),
    [
      ["ask to append steered.txt x; say end", "queue"],
      ["also this", "steer"],
    ],
  );
  assert.equal(
    items[0]?.status === "settled" && items[0].outcome.runId,
    items[1]?.status === "settled" && items[1].outcome.runId,
  );
  const optIn = { _meta: { steering: { idleBehavior: "promptRequired" } } };
  assert.deepEqual(await steer("say later", optIn), {
    outcome: "promptRequired",
    reason: "noRunningTurn",
  });
  assert.deepEqual(await steer("say now"), { outcome: "startedNewTurn" });
  await editor.until(
    sessionId,
    ({ content }) => content?.text?.includes("[demo agent] now") === true,
  );
  assert.doesNotMatch(editor.words(sessionId).join("\n"), /say later|user:/);
});

test("the steering extension is announced", async (t) => {
  const fresh = await openEditor(t, { folder });
  const { _meta: announced } = await fresh.request<{ _meta: object }>("initialize", {
    protocolVersion: 1,
  });
  assert.deepEqual(announced, { steering: { supported: true } });
});
