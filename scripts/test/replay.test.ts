import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createHoldfast } from "../../packages/holdfast/src/index.ts";
import type { Agent } from "../../packages/holdfast/src/index.ts";

const root = join(import.meta.dirname, "../..");

const agent: Agent = {
  name: "short",
  async *run({ boundary }) {
    await boundary();
    yield { type: "answer", text: "done" };
  },
};

test("a replay shows each event, and finds a log that breaks a rule", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-replay-"));
  const holdfast = await createHoldfast({ agent, store: join(folder, "holdfast.db") });
  const session = await holdfast.sessions.create({ directory: folder });
  await (await session.prompt("hello")).settled();
  const text = (await Array.fromAsync(session.export())).join("");
  await holdfast.close();
  const file = join(folder, "session.json");
  const replay = (content: string, ...options: string[]) => {
    writeFileSync(file, content);
    const args = ["scripts/replay.ts", file, ...options];
    return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  };
  const good = replay(text);
  assert.match(good.stdout, /^ {4}1 {2}session\.created {5}idle {6}0 waiting\n/);
  assert.match(good.stdout, /\nNo rule is broken, and the log leads to the exported state\.\n$/);
  assert.equal(good.status, 0);
  const state: { active: { runId: string } } = JSON.parse(replay(text, "--at", "3").stdout);
  assert.match(state.active.runId, /^run-/);
  const bad = replay(text.replaceAll('"type":"run.started"', '"type":"run.resumed"'));
  assert.match(bad.stderr, /replay: .*run\.resumed/);
  assert.equal(bad.status, 1);
});
