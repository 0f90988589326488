import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { openCli } from "../test-cli.ts";
import { startForeign } from "../foreign-server.ts";
import { away, back, openEditor } from "./editor.ts";

/** Notes about the server may appear anywhere in the text. */
const notes = /\n\n\*The server .*\*\n\n/g;

test("R1 T2 after a server is killed during a run and restarted, every update arrives exactly once", async (t) => {
  const cli = openCli(t, { HOLDFAST_DEMO_FAULTS: "1" });
  const { folder } = cli;
  const first = await cli.serve(await freePort());
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder);
  const text = "say one two; append r.txt before; crash once; append r.txt after; say three four";
  const answer = editor.prompt(sessionId, text);
  await first.running.ended;
  // A foreign server has taken the port.
  const foreign = await startForeign(t, first.port);
  const second = await cli.serve();
  assert.notEqual(second.url, first.url);
  assert.deepEqual(await answer, { stopReason: "end_turn" });
  const lines = readFileSync(join(folder, "r.txt"), "utf8").replaceAll(/ \[call-\w+\]/g, "");
  assert.equal(lines, "before\nafter\n");
  // The notes about the server may be a message of their own.
  const words = editor
    .words(sessionId)
    .map((text) => text.replaceAll(notes, ""))
    .filter((text) => text !== "agent: ");
  assert.deepEqual(words, [
    "agent: [demo agent] one two\n\n[demo agent] I call append.",
    "append: pending",
    "append: in_progress",
    "append: completed",
    "agent: [demo agent] I crash now.\n\n[demo agent] I call append.",
    "append: pending",
    "append: in_progress",
    "append: completed",
    "agent: [demo agent] three four",
  ]);
  assert.deepEqual(editor.words(sessionId).join("").match(notes), [away, back]);
  assert.deepEqual(await editor.prompt(sessionId, "say five"), { stopReason: "end_turn" });
  // Loading the session reports its history and nothing else.
  const before = editor.updatesOf(sessionId).length;
  await editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  const loaded = JSON.stringify(editor.updatesOf(sessionId).slice(before));
  assert.match(loaded, /three four.*say five.*five/);
  assert.doesNotMatch(loaded, /The server is/);
  assert.deepEqual(
    foreign.asked.filter((request) => request !== "GET /healthz -"),
    [],
  );
});

test("a prompt to a stopping server goes to the next server, not to a foreign one on the same port", async (t) => {
  const cli = openCli(t);
  const { folder } = cli;
  const first = await cli.serve(await freePort());
  const editor = await openEditor(t, { folder });
  const [sessionId, other] = [await editor.newSession(folder), await editor.newSession(folder)];
  assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
  const last = editor.prompt(other, "say begun; wait 500ms");
  await editor.until(other, ({ content }) => content?.text?.includes("begun") === true);
  first.running.process.kill("SIGTERM");
  await first.running.printed("holdfast: stopping");
  const answer = editor.prompt(sessionId, "say two");
  assert.deepEqual(await last, { stopReason: "end_turn" });
  await first.running.ended;
  const foreign = await startForeign(t, first.port);
  try {
    assert.deepEqual(await answer, { stopReason: "end_turn" });
    const words = editor.words(sessionId).join("").replaceAll("agent: ", "").replaceAll(notes, "");
    assert.equal(words, "[demo agent] one[demo agent] two");
    assert.deepEqual(foreign.asked, []);
  } finally {
    const { end, err } = await cli.run("server", "stop");
    assert.equal(end, 0, err);
  }
});

test("if no server can be started, the editor gets the reason", async (t) => {
  const cli = openCli(t);
  // A folder is not a store.
  const editor = await openEditor(t, { folder: cli.folder, words: ["--store", cli.folder] });
  await assert.rejects(
    editor.newSession(cli.folder),
    /the background server could not start: .*serverStart/,
  );
  const file = join(cli.folder, "file");
  writeFileSync(file, "");
  const store = join(cli.folder, "own.db");
  const environment = { XDG_DATA_HOME: file };
  const other = await openEditor(t, {
    folder: cli.folder,
    words: ["--store", store],
    environment,
  });
  await assert.rejects(
    other.newSession(cli.folder),
    /could not start: .*cannot be written: the path contains a file .*; set XDG_DATA_HOME .*serverStart/,
  );
});
