import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import type { Serving } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";

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

test("a prompt is answered when it is settled, after its text, reasoning and calls", async () => {
  const sessionId = await editor.newSession(folder);
  const { stopReason } = await editor.prompt(sessionId, "think hm; say one two; tool read x");
  assert.equal(stopReason, "end_turn");
  assert.deepEqual(editor.words(sessionId), [
    "thought: hm",
    "agent: [demo agent] I have thought about it.\n\n[demo agent] one two\n\n[demo agent] I call read.",
    "read: pending",
    "read: completed",
  ]);
  const session = holdfast.session(sessionId);
  const { title, directory } = await session.get();
  const named = editor
    .updatesOf(sessionId)
    .find((update) => update.sessionUpdate === "session_info_update");
  assert.deepEqual([named?.title, directory], [title, folder]);
  const { items } = await session.prompts();
  assert.deepEqual(
    items.map(({ actor }) => actor.id),
    ["owner/acp"],
  );
});

test("a prompt marks the events that the editor shows as seen by the person", async () => {
  const sessionId = await editor.newSession(folder);
  const session = holdfast.session(sessionId);
  await editor.prompt(sessionId, "say one");
  const { seq } = await session.get();
  const all = await Array.fromAsync({ length: seq }, (_, index) => session.event(index + 1));
  const end = all.findLast((event) => event.type === "run.ended")?.seq ?? 0;
  assert.deepEqual(await session.notice(end), { kind: "finished", quiet: null });
  await editor.prompt(sessionId, "say two");
  await waitFor(() => session.notice(end), {
    describe: "the mark of the editor",
    until: ({ quiet }) => quiet === "seen",
  });
});

test("text arrives while the model is writing, not at the end", async () => {
  const sessionId = await editor.newSession(folder);
  const answer = editor.prompt(sessionId, "words 300 every 20ms");
  await editor.until(sessionId, ({ content }) => content?.text?.includes("word-1") === true);
  editor.notify("session/cancel", { sessionId });
  assert.deepEqual(await answer, { stopReason: "cancelled" });
});

test("a failed prompt is an error with its reason, a reached limit is a stop with a note", async () => {
  const sessionId = await editor.newSession(folder);
  await assert.rejects(
    editor.prompt(sessionId, "fail providerError"),
    /the prompt failed: providerError/,
  );
  const filtered = await editor.prompt(sessionId, "fail contentFilter");
  assert.equal(filtered.stopReason, "refusal");
  assert.match(editor.words(sessionId).at(-1) ?? "", /contentFilter/);
  const small = await holdfast.sessions.create({ directory: folder, budget: { tokens: 5 } });
  const spent = await editor.prompt(small.sessionId, "tokens 10; say more; say never");
  assert.equal(spent.stopReason, "max_tokens");
});

test("R4 an ask is shown in the editor: allowed once, rejected, and for a child's call", async () => {
  const sessionId = await editor.newSession(folder);
  const allowed = editor.prompt(sessionId, "ask to append asked.txt yes");
  const first = await editor.asked();
  assert.deepEqual(
    [first.method, first.params.sessionId, first.params.toolCall?.title],
    [
      "session/request_permission",
      sessionId,
      "The demo agent wants to append asked.txt yes. Allow it?",
    ],
  );
  assert.deepEqual(
    first.params.options?.map(({ optionId, kind }) => [optionId, kind]),
    [
      ["once", "allow_once"],
      ["no", "reject_once"],
    ],
  );
  const call = editor.updatesOf(sessionId).find((update) => update.sessionUpdate === "tool_call");
  assert.equal(first.params.toolCall?.toolCallId, call?.toolCallId);
  first.choose("once");
  assert.deepEqual(await allowed, { stopReason: "end_turn" });
  assert.deepEqual(editor.takenBack, [], "an answered request is not cancelled");
  const denied = editor.prompt(sessionId, "child { ask to append asked.txt no }");
  const second = await editor.asked();
  assert.equal(second.params.sessionId, sessionId);
  second.choose("no");
  assert.deepEqual(await denied, { stopReason: "end_turn" });
  assert.match(readFileSync(join(folder, "asked.txt"), "utf8"), /^yes \[call-\w+\]\n$/);
});

test("R4 an ask that is answered elsewhere is withdrawn, and a late answer changes nothing", async () => {
  const sessionId = await editor.newSession(folder);
  const prompt = editor.prompt(sessionId, "ask to append elsewhere.txt x; say done");
  const question = await editor.asked();
  const { items } = await holdfast.session(sessionId).asks({ open: true });
  for (const { askId } of items) {
    await holdfast.session(sessionId).answer(askId, { verdict: "deny" });
  }
  assert.deepEqual(await prompt, { stopReason: "end_turn" });
  question.choose("once");
  assert.deepEqual(await editor.prompt(sessionId, "say next"), { stopReason: "end_turn" });
  assert.equal(existsSync(join(folder, "elsewhere.txt")), false);
  assert.equal(editor.takenBack.length > 0, true);
});

test("R4 P1 an ask stays open when the editor disconnects, and the next editor can answer it", async (t) => {
  const leaving = await openEditor(t, { folder });
  const sessionId = await leaving.newSession(folder);
  leaving.prompt(sessionId, "say before; ask which one; say after").catch(() => {});
  await leaving.asked();
  const { end, err } = await leaving.leave();
  assert.deepEqual([end, err], [0, ""]);
  const capabilities = { elicitation: { form: {} } };
  const back = await openEditor(t, { folder, capabilities });
  await back.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  const words = back.words(sessionId);
  assert.deepEqual(words.slice(0, 2), [
    "user: say before; ask which one; say after",
    "agent: [demo agent] before\n\n[demo agent] I call ask.",
  ]);
  const question = await back.asked();
  assert.deepEqual([question.method, question.params.message], ["elicitation/create", "which one"]);
  question.answer({ action: "accept", content: { answer: "the second" } });
  await back.until(
    sessionId,
    ({ content }) => content?.text?.includes("[demo agent] after") === true,
  );
  assert.deepEqual(back.words(sessionId).slice(2), [
    "ask: pending",
    "ask: completed",
    "agent: [demo agent] after",
  ]);
});

test("P1 a prompt that is sent right before the editor closes is kept", async (t) => {
  const leaving = await openEditor(t, { folder });
  const sessionId = await leaving.newSession(folder);
  leaving.prompt(sessionId, "say kept").catch(() => {});
  assert.equal((await leaving.leave()).end, 0);
  const { items } = await holdfast.session(sessionId).prompts();
  assert.deepEqual(
    items.map(({ text }) => text),
    ["say kept"],
  );
});

test("L4 a paused session reports it, and runs the prompt when it is released", async () => {
  const sessionId = await editor.newSession(folder);
  const holdId = await holdfast.session(sessionId).hold({ reason: "a person looks at it" });
  const answer = editor.prompt(sessionId, "say on");
  const { content } = await editor.until(sessionId, (update) => update.content !== undefined);
  assert.match(
    content?.text ?? "",
    /paused \(a person looks at it\); `holdfast queue --session \S+ release`/,
  );
  await holdfast.session(sessionId).release(holdId);
  assert.deepEqual(await answer, { stopReason: "end_turn" });
});

test("L2 prompts are accepted in the order in which they were sent, even with attachments", async () => {
  const sessionId = await editor.newSession(folder);
  const file = {
    uri: "file:///code/notes.bin",
    blob: "AAEC",
    mimeType: "application/octet-stream",
  };
  const prompt = [
    { type: "text", text: "say first" },
    { type: "resource", resource: file },
  ];
  const first = editor.request("session/prompt", { sessionId, prompt });
  const second = editor.prompt(sessionId, "say second");
  await Promise.all([first, second]);
  const { items } = await holdfast.session(sessionId).prompts();
  assert.deepEqual(
    items.map(({ text, attachments }) => [text, attachments.map(({ name }) => name)]),
    [
      ["say first[notes.bin](/code/notes.bin)", ["notes.bin"]],
      ["say second", []],
    ],
  );
});

test("an image without text is a prompt", async () => {
  const sessionId = await editor.newSession(folder);
  const prompt = [{ type: "image", data: "AAEC", mimeType: "image/png", uri: "file:///x/dot.png" }];
  assert.deepEqual(await editor.request("session/prompt", { sessionId, prompt }), {
    stopReason: "end_turn",
  });
  const { items } = await holdfast.session(sessionId).prompts();
  assert.deepEqual(
    items.map(({ text, attachments }) => [text, attachments.map(({ name }) => name)]),
    [["", ["dot.png"]]],
  );
});

test("a refused prompt does not block the prompts after it", async () => {
  const sessionId = await editor.newSession(folder);
  const refused = assert.rejects(editor.prompt(sessionId, "/nowhere to be found"), /nowhere/);
  const behind = editor.prompt(sessionId, "say behind");
  await refused;
  assert.deepEqual(await behind, { stopReason: "end_turn" });
});

test("loading a session again ends the wait for its prompt, and the prompt continues", async () => {
  const sessionId = await editor.newSession(folder);
  const waiting = editor.prompt(sessionId, "say before; ask to append kept.txt x; say kept");
  const letGo = assert.rejects(waiting, /if it was accepted, it continues on the server/);
  // The run waits for an answer, so it does not end before the session is loaded.
  await editor.asked();
  await editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  await letGo;
  (await editor.asked()).choose("once");
  await editor.until(
    sessionId,
    ({ content }) => content?.text?.includes("[demo agent] kept") === true,
  );
});

test("T2 two editors on one session see the same updates, each its own prompt once", async (t) => {
  const other = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder);
  await editor.prompt(sessionId, "say one");
  await other.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  await other.prompt(sessionId, "say two");
  await editor.until(
    sessionId,
    ({ content }) => content?.text?.includes("[demo agent] two") === true,
  );
  const answers = ["agent: [demo agent] one", "agent: [demo agent] two"];
  const [one = "", two = ""] = answers;
  assert.deepEqual(editor.words(sessionId), [one, "user: say two", two]);
  assert.deepEqual(other.words(sessionId), [
    "user: say one",
    "agent: [demo agent] one[demo agent] two",
  ]);
});

test("sessions are listed by folder, loaded with their history, and refused in another folder", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "the first" });
  await (await session.prompt("say from before")).settled();
  const fork = await session.fork();
  const listed = await editor.request<{ sessions: { sessionId: string; title: string }[] }>(
    "session/list",
    { cwd: folder },
  );
  const mine = listed.sessions.find(({ sessionId }) => sessionId === session.sessionId);
  assert.deepEqual(
    { ...mine, updatedAt: "" },
    { sessionId: session.sessionId, cwd: folder, title: "the first", updatedAt: "" },
  );
  const { sessionId } = fork;
  await editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  assert.deepEqual(editor.words(sessionId), [
    "user: say from before",
    "agent: [demo agent] from before",
  ]);
  const place = { cwd: folder, mcpServers: [] };
  await assert.rejects(
    editor.request("session/load", { ...place, sessionId: "nowhere" }),
    /nowhere.*unknownSession/,
  );
  await assert.rejects(
    editor.request("session/load", { sessionId, cwd: "/", mcpServers: [] }),
    /this session belongs to/,
  );
  assert.deepEqual(await editor.request("authenticate", { methodId: "server" }), {});
  await assert.rejects(
    editor.request("authenticate", { methodId: "other" }),
    /no sign-in method other; use server/,
  );
  await assert.rejects(editor.newSession("relative"), /absolute path/);
  await assert.rejects(editor.newSession(join(folder, "missing")), /not a folder/);
});

test("MCP servers at an address are reported once as not used, and the prompt runs anyway", async (t) => {
  const fresh = await openEditor(t, { folder });
  const url = "http://127.0.0.1:9/mcp";
  const servers = [{ type: "http", name: "files", url, headers: [] }];
  const first = await fresh.newSession(folder, servers);
  const second = await fresh.newSession(folder, servers);
  await fresh.prompt(first, "say one");
  await fresh.prompt(second, "say two");
  assert.match(
    fresh.words(first).join("\n"),
    /servers of the editor are not used, because Holdfast accepts only .* program: files/,
  );
  assert.deepEqual(fresh.words(second), ["agent: [demo agent] two"]);
});

test("an invalid line gets a JSON-RPC error, and the next line is handled", async () => {
  const cases: [line: string, code: number, id: unknown][] = [
    ["{", -32700, null],
    ["[]", -32600, null],
    ['{"jsonrpc":"2.0","id":71}', -32600, 71],
    ['{"jsonrpc":"2.0","id":{},"method":"initialize"}', -32600, null],
    ['{"jsonrpc":"2.0","id":72,"method":"session/bogus"}', -32601, 72],
    ['{"jsonrpc":"2.0","id":73,"method":"session/new","params":{}}', -32602, 73],
    ['{"jsonrpc":"2.0","id":74,"method":"session/prompt","params":{"sessionId":"x"}}', -32602, 74],
  ];
  for (const [line, code, id] of cases) {
    const answer = editor.nextLine();
    editor.write(line);
    const heard: { id: unknown; error: { code: number } } = JSON.parse(await answer);
    assert.deepEqual([heard.id, heard.error.code], [id, code], line);
  }
});
