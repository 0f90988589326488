import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createDemoAgent } from "../../src/agent/demo/demo-agent.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { examine } from "../../src/store/doctor/doctor.ts";
import { openSqliteReader } from "../../src/store/sqlite/reader.ts";
import type { StoreReader } from "../../src/store/store.ts";

test("doctor finds no violation in a store while its owner is writing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  const file = join(folder, "busy.db");
  const holdfast = await createRuntime({ agent: createDemoAgent({ faults: true }), store: file });
  const work = ["a", "b", "c"].map(async (sessionId) => {
    await holdfast.createSession({ sessionId, directory: folder });
    for (let round = 0; round < 5; round += 1) {
      const text = "tool read x; child { append a.txt y }; background { say z }";
      const { promptId } = await holdfast.prompt({ sessionId, text });
      await holdfast.wait({ sessionId, promptId });
    }
  });
  const progress = { isOver: false };
  const worked = Promise.all(work).finally(() => {
    progress.isOver = true;
  });
  const reader = await openSqliteReader({ file });
  try {
    for (let rounds = 0; rounds === 0 || !progress.isOver; rounds += 1) {
      const { violations } = await examine(givingWay(reader));
      assert.deepEqual(violations, []);
    }
  } finally {
    await worked;
    await reader.close();
    await holdfast.close();
    rmSync(folder, { recursive: true });
  }
});

/** Between any two reads the owner, which lives in the same process here, may write. */
function givingWay(reader: StoreReader): StoreReader {
  return {
    ...reader,
    lane: (sessionId) => breath().then(() => reader.lane(sessionId)),
    prompt: (sessionId, promptId) => breath().then(() => reader.prompt(sessionId, promptId)),
    ask: (sessionId, askId) => breath().then(() => reader.ask(sessionId, askId)),
    events: (sessionId, page) => breath().then(() => reader.events(sessionId, page)),
  };
}

function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
