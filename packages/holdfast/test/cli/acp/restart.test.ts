import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openDesk } from "../command.ts";
import { startForeign } from "../foreign-server.ts";
import { openEditor } from "./editor.ts";

test("R1 T2 a server that is killed in mid-run and started again doubles nothing and loses nothing", async (t) => {
  const desk = openDesk(t);
  const { folder } = desk;
  const first = await desk.serve();
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder);
  const text = "say one two; append r.txt before; wait 300ms; append r.txt after; say three four";
  const answer = editor.prompt(sessionId, text);
  await editor.until(sessionId, ({ status }) => status === "completed");
  first.running.process.kill("SIGKILL");
  await first.running.ended;
  // Somebody else's server is there now, and knows nothing of ours.
  const foreign = await startForeign(t, first.port);
  const second = await desk.serve();
  assert.notEqual(second.url, first.url);
  assert.deepEqual(await answer, { stopReason: "end_turn" });
  const lines = readFileSync(join(folder, "r.txt"), "utf8").replaceAll(/ \[call-\w+\]/g, "");
  assert.equal(lines, "before\nafter\n");
  assert.deepEqual(editor.words(sessionId), [
    "agent: [demo agent] one two\n\n[demo agent] I call append.",
    "append: pending",
    "append: in_progress",
    "append: completed",
    "agent: [demo agent] I waited 300 ms.\n\n[demo agent] I call append.",
    "append: pending",
    "append: in_progress",
    "append: completed",
    "agent: [demo agent] three four",
  ]);
  assert.deepEqual(await editor.prompt(sessionId, "say five"), { stopReason: "end_turn" });
  assert.deepEqual(
    foreign.asked.filter((request) => request !== "GET /healthz -"),
    [],
  );
});

test("an editor without a server gets one, which outlives it, and another one when that was stopped", async (t) => {
  const desk = openDesk(t);
  const { folder } = desk;
  const editor = await openEditor(t, { folder });
  try {
    const sessionId = await editor.newSession(folder);
    assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
    const stopped = await desk.run("stop");
    assert.equal(stopped.end, 0, stopped.err);
    while (existsSync(`${desk.store}.server.json`)) await setImmediate();
    assert.deepEqual(await editor.prompt(sessionId, "say two"), { stopReason: "end_turn" });
    assert.deepEqual(editor.words(sessionId), ["agent: [demo agent] one[demo agent] two"]);
    assert.equal((await editor.leave()).end, 0);
  } finally {
    // It is nobody's child any more: this test alone knows of it.
    const { end, err } = await desk.run("stop");
    assert.equal(end, 0, err);
  }
});

test("a server of another store that took the port of one that was stopped gets no token and is not believed", async (t) => {
  const desk = openDesk(t);
  const { folder } = desk;
  const first = await desk.serve();
  const editor = await openEditor(t, { folder });
  const sessionId = await editor.newSession(folder);
  assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
  first.running.process.kill("SIGTERM");
  await first.running.ended;
  const foreign = await startForeign(t, first.port);
  try {
    assert.deepEqual(await editor.prompt(sessionId, "say two"), { stopReason: "end_turn" });
    assert.deepEqual(editor.words(sessionId), ["agent: [demo agent] one[demo agent] two"]);
    assert.deepEqual(foreign.asked, []);
  } finally {
    const { end, err } = await desk.run("stop");
    assert.equal(end, 0, err);
  }
});

test("where no server can be started, the editor is told why", async (t) => {
  const desk = openDesk(t);
  // A folder is no store.
  const editor = await openEditor(t, { folder: desk.folder, words: ["--store", desk.folder] });
  await assert.rejects(editor.newSession(desk.folder), /none could be started: .*serverStart/);
});
