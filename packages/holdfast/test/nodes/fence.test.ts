import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { editTool } from "../../src/agent/tools/edit.ts";
import { readTool } from "../../src/agent/tools/read.ts";
import { writeTool } from "../../src/agent/tools/write.ts";
import { workbench } from "../agent/tools/workbench.ts";
import { openSqlitePlace } from "../runner/support/place.ts";

test("L5 a process whose lease has expired may not act, even before its timers fire", async (t) => {
  const place = await openSqlitePlace(t);
  const run = await place.openRun("a");
  assert.equal(run.context.mayAct(), true);
  // As after a freeze: the clock has advanced, and no timer has run.
  const now = performance.now.bind(performance);
  t.mock.method(performance, "now", () => now() + 3_600_000);
  assert.equal(run.context.signal.aborted, false);
  assert.equal(run.context.mayAct(), false);
  assert.equal(run.context.signal.aborted, true);
  const again = await place.puppets.next();
  assert.deepEqual([again.context.attempt, again.context.mayAct()], [2, true]);
  assert.equal(run.context.mayAct(), false);
  await again.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("L5 a file tool checks the lease at the last moment and then changes nothing", async (t) => {
  // The lease is valid at the start of the tool, and lost when the file is about to be replaced.
  let answers = [true, false];
  const bench = workbench(t, { mayAct: () => answers.shift() ?? false });
  const path = bench.path("notes.txt");
  writeFileSync(path, "old\n");
  await bench.use(readTool, { path: "notes.txt" });
  const edit = { path: "notes.txt", edits: [{ old: "old", new: "new" }] };
  const edited = await bench.use(editTool, edit);
  answers = [true, false];
  const written = await bench.use(writeTool, { path: "other.txt", content: "new" });
  assert.deepEqual([edited.status, written.status], ["failed", "failed"]);
  assert.match(edited.output, /the run stopped before the change/);
  assert.equal(readFileSync(path, "utf8"), "old\n");
  assert.deepEqual(readdirSync(bench.directory), ["notes.txt"]);
});
