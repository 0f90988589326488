import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Ask, Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";
import { startProxy } from "./proxy.ts";

test("R4 T2 after a lost stream, the editor shows the asks of a child that started before", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const serving = await cli.serve();
  const { token } = serving;
  let isCut = false;
  const proxy = await startProxy(t, serving, {
    before: ({ path }) => (isCut && path.endsWith("/events") ? "fail" : "pass"),
  });
  const environment = { HOLDFAST_TOKEN: token };
  const editor = await openEditor(t, { folder, words: ["--server", proxy.url], environment });
  const sessionId = await editor.newSession(folder);
  const lost = assert.rejects(
    editor.prompt(sessionId, "child { ask one; ask two }"),
    /outcome .* is unknown/,
  );
  const first = await waitFor(() => editor.asked(), { describe: "the first ask of the child" });
  assert.match(JSON.stringify(first.params), /one/);
  isCut = true;
  proxy.cutStreams();
  await waitFor(() => lost.then(() => true), { describe: "the lost stream" });
  isCut = false;

  const holdfast = connect(serving);
  const parent = holdfast.session(sessionId);
  const { active } = await parent.get();
  assert.ok(active?.kind === "run");
  const child = holdfast.session(active.children[0]?.sessionId ?? "");
  const { items } = await child.asks({ open: true });
  await child.answer(items[0]?.askId ?? "", { verdict: "allow", text: "one" });
  await follow(editor, sessionId);
  const second = await waitFor(() => editor.asked(), { describe: "the second ask of the child" });
  assert.match(JSON.stringify(second.params), /two/);
  await parent.cancel();
});

test("R4 T2 after a lost stream, the asks of children that ended meanwhile are removed from the editor", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const serving = await cli.serve();
  const holdfast = connect(serving);
  let isCut = false;
  const proxy = await startProxy(t, serving, {
    before: ({ path }) => (isCut && path.endsWith("/events") ? "fail" : "pass"),
  });
  const environment = { HOLDFAST_TOKEN: serving.token };
  const editor = await openEditor(t, { folder, words: ["--server", proxy.url], environment });
  const sessionIds = [await editor.newSession(folder), await editor.newSession(folder)];
  const [withChild = "", withGrandchild = ""] = sessionIds;
  const lost = Promise.all([
    assert.rejects(editor.prompt(withChild, "child { ask one }; stall"), unknownOutcome),
    assert.rejects(
      editor.prompt(withGrandchild, "child { child { ask two } }; stall"),
      unknownOutcome,
    ),
  ]);
  for (const _ of sessionIds) await waitFor(() => editor.asked(), { describe: "the asks" });
  isCut = true;
  proxy.cutStreams();
  await waitFor(() => lost.then(() => true), { describe: "the lost streams" });
  isCut = false;
  for (const ask of await openAsks(holdfast)) {
    await holdfast.session(ask.sessionId).answer(ask.askId, { verdict: "allow" });
  }
  for (const sessionId of sessionIds) await untilNoChild(holdfast, sessionId);
  for (const sessionId of sessionIds) await follow(editor, sessionId);
  await waitFor(() => editor.takenBack.length, {
    describe: "the removal of both asks",
    until: (count) => count === 2,
  });
  for (const sessionId of sessionIds) await holdfast.session(sessionId).cancel();
});

test("R4 if a child ends while only its own stream is lost, its ask is removed from the editor", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const serving = await cli.serve();
  const holdfast = connect(serving);
  const released = Promise.withResolvers<void>();
  let sessionId = "";
  let isCut = false;
  const proxy = await startProxy(t, serving, {
    before: async ({ path }) => {
      const isOfChild = path.endsWith("/events") && !path.includes(sessionId);
      if (isCut && isOfChild) await released.promise;
    },
  });
  const environment = { HOLDFAST_TOKEN: serving.token };
  const editor = await openEditor(t, { folder, words: ["--server", proxy.url], environment });
  sessionId = await editor.newSession(folder);
  const prompt = editor.prompt(sessionId, "child { ask one }; say done");
  await waitFor(() => editor.asked(), { describe: "the ask" });
  isCut = true;
  proxy.cutStreams();
  for (const ask of await openAsks(holdfast)) {
    await holdfast.session(ask.sessionId).answer(ask.askId, { verdict: "allow" });
  }
  assert.deepEqual(await waitFor(() => prompt, { describe: "the end of the prompt" }), {
    stopReason: "end_turn",
  });
  assert.equal(editor.takenBack.length, 1);
  released.resolve();
});

test("R4 a child whose stream was lost for good is followed again when the parent's stream is back", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const serving = await cli.serve();
  const holdfast = connect(serving);
  let sessionId = "";
  let failures = 0;
  const proxy = await startProxy(t, serving, {
    before: ({ path }) => {
      if (!path.endsWith("/events") || path.includes(sessionId) || failures > 0) return "pass";
      failures += 1;
      return "fail";
    },
  });
  const environment = { HOLDFAST_TOKEN: serving.token };
  const editor = await openEditor(t, { folder, words: ["--server", proxy.url], environment });
  sessionId = await editor.newSession(folder);
  const prompt = editor.prompt(sessionId, "child { ask one }");
  await waitFor(() => editor.running.printed("the proxy has failed").then(() => true), {
    describe: "the lost stream of the child",
  });
  proxy.cutStreams();
  await waitFor(() => editor.asked(), { describe: "the ask of the child" });
  await holdfast.session(sessionId).cancel();
  await waitFor(() => prompt, { describe: "the end of the prompt" });
});

const unknownOutcome = /outcome .* is unknown/;

async function openAsks(holdfast: Holdfast): Promise<readonly Ask[]> {
  return (await holdfast.asks()).items;
}

async function untilNoChild(holdfast: Holdfast, sessionId: string): Promise<void> {
  await waitFor(() => holdfast.session(sessionId).get(), {
    describe: "the end of the child prompts",
    until: ({ active, background }) => {
      const children = active?.kind === "run" ? active.children : [];
      return background.length === 0 && children.every(({ outcome }) => outcome !== null);
    },
  });
}

/** Sends a message, which follows the session again. */
async function follow(editor: Editor, sessionId: string): Promise<void> {
  const message = { sessionId, prompt: [{ type: "text", text: "say steered" }] };
  assert.deepEqual(await editor.request("_session/steering", message), { outcome: "injected" });
}
