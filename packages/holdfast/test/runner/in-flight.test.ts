import assert from "node:assert/strict";
import type { Delta } from "../../src/runner/delta-hub.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import type { Place } from "./support/place.ts";
import { call } from "./support/puppets.ts";
import type { Puppet } from "./support/puppets.ts";

// A reader that joins in the middle of a step.

async function openRun(place: Place): Promise<{ run: Puppet; shown: () => unknown }> {
  const run = await place.openRun("a");
  const { runId } = run.context;
  await run.boundary();
  const shown = (): unknown => {
    const found = place.first.holdfast.inFlight("main");
    if (found === null) return null;
    const { text, reasoning, calls, cut } = found;
    assert.deepEqual([found.sessionId, found.runId, found.attempt], ["main", runId, 1]);
    return { text, reasoning, calls, cut };
  };
  return { run, shown };
}

sqliteTest(
  "T3 a late reader gets the sum of the deltas so far, until the text is in the log",
  async (place) => {
    const { run, shown } = await openRun(place);
    const nothing = { text: "", reasoning: "", calls: [], cut: false };
    assert.equal(shown(), null);
    await run.say({ type: "delta", kind: "reasoning", text: "hm, " });
    await run.say({ type: "delta", kind: "reasoning", text: "well" });
    await run.say({ type: "delta", kind: "text", text: "I th" });
    const heard: Delta[] = [];
    const stop = place.first.holdfast.deltas("main", (delta) => heard.push(delta));
    // In the same tick: later deltas come after the snapshot and are not in it.
    assert.deepEqual(shown(), { ...nothing, text: "I th", reasoning: "hm, well" });
    assert.deepEqual(heard, []);
    await run.say({ type: "delta", kind: "text", text: "ink" });
    assert.deepEqual(shown(), { ...nothing, text: "I think", reasoning: "hm, well" });
    assert.deepEqual(
      heard.map(({ text }) => text),
      ["ink"],
      "what is in the snapshot was told to those who listen",
    );
    await run.say({ type: "delta", kind: "restart", text: "" });
    assert.equal(shown(), null, "the step begins anew");
    await run.say({ type: "delta", kind: "text", text: "Let me" });
    await run.answer("Let me look", [call("one"), call("two")]);
    assert.equal(shown(), null, "it is in the log");
    await run.startTool("one");
    await run.say({ type: "delta", kind: "tool", callId: "one", text: "line 1\n" });
    await run.say({ type: "delta", kind: "tool", callId: "two", text: "other" });
    await run.endTool("one");
    assert.deepEqual(shown(), { ...nothing, calls: [{ callId: "two", text: "other" }] });
    await run.startTool("two");
    await run.endTool("two");
    await run.finish();
    await place.outcome("a");
    assert.equal(shown(), null);
    stop();
  },
);

sqliteTest(
  "T3 the kept part of a stream is limited, and marked as cut if it is incomplete",
  async (place) => {
    const { run } = await openRun(place);
    const piece = "0123456789abcdef".repeat(4096);
    for (let count = 0; count < 20; count += 1) {
      await run.say({ type: "delta", kind: "text", text: piece });
    }
    const found = place.first.holdfast.inFlight("main");
    assert.equal(found?.cut, true);
    assert.ok(found.text.length >= 256 * 1024 && found.text.length <= 512 * 1024);
    assert.ok(found.text.endsWith("abcdef"));
    await run.finish();
    await place.outcome("a");
  },
);

sqliteTest(
  "T3 R1 a new attempt discards the text that an earlier one has streamed",
  async (place) => {
    const { run } = await openRun(place);
    await run.say({ type: "delta", kind: "text", text: "half an ans" });
    await place.first.crash();
    const second = await place.open();
    const resumed = await place.puppets.next();
    assert.equal(second.holdfast.inFlight("main"), null);
    await resumed.boundary();
    await resumed.say({ type: "delta", kind: "text", text: "anew" });
    const found = second.holdfast.inFlight("main");
    assert.deepEqual([found?.text, found?.attempt], ["anew", 2]);
    await resumed.finish();
    assert.equal(await place.outcome("a"), "completed");
  },
);
