import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply, Script } from "../../../../../gauntlet/model-server/script.ts";
import { isSummaryCall } from "./summary-call.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";

const forever = new Promise<never>(() => {});
/** Room for the instructions, the tools and about 12,000 characters until the conversation is compacted. */
const small = { limits: { context: 12_000, output: 800 }, price: null };
const files = { "long.txt": "all work and no play\n".repeat(900) };
const summary = "SUMMARY: long.txt was read.";

/** Answers requests for a summary with a summary, and all others by the script. */
function summing(script: Script, sum: () => Reply = () => says(summary)): Script {
  return (call) => (isSummaryCall(call) ? sum() : script(call));
}

const tooLong: Reply = {
  status: 400,
  message: "This model's maximum context length is 4000 tokens",
};

test("M8 near the context limit a step summarizes the conversation, and keeps the run's prompt", async (t) => {
  let steps = 0;
  const world = await openWorld(t, {
    facts: small,
    files,
    script: summing((call) => {
      steps += 1;
      const usage = { input: 500 + Math.ceil(lengthOf(call) / 3), cached: 0, output: 50 };
      const read = {
        name: "read",
        input: { path: "long.txt", limit: 250 + steps },
        id: `c${steps}`,
      };
      return { ...(steps <= 8 ? asks(read) : says("Read it.")), usage };
    }),
  });
  await world.prompt("p1", { text: "Read it four times, please." });
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Read it." });
  const { calls } = world.server;
  const place = calls.findIndex(isSummaryCall);
  assert.ok(place > 1, "there was one, after some steps");
  const before = lengthOf(calls[place - 1]);
  const after = calls[place + 1];
  assert.ok(lengthOf(after) < before / 4, `${lengthOf(after)} after ${before}`);
  assert.deepEqual(
    after?.messages.map(({ role, text }) => [role, text]),
    [
      ["user", `Summary of the conversation so far:\n\n${summary}`],
      ["user", "Read it four times, please."],
    ],
  );
  assert.match(calls[place]?.messages[0]?.text ?? "", /\[user\]\nRead it four times, please\./);
  assert.ok(!world.deltas.some(({ text }) => text.includes("SUMMARY")));

  await world.prompt("p2", { text: "And now?" });
  assert.equal((await world.outcome("p2")).ended, "completed");
  const later = calls.at(-1)?.messages.map(({ text }) => text) ?? [];
  assert.ok(!later.includes("Read it four times, please."), "earlier runs are in the summary");
  assert.equal(later[0], `Summary of the conversation so far:\n\n${summary}`);
  assert.equal(later.at(-1), "And now?");
});

test("if the provider finds the conversation too long, it gets shorter and shorter ones", async (t) => {
  let refusals = 0;
  const world = await openWorld(t, {
    script: async (call) => {
      const mayPass = isSummaryCall(call) ? refusals === 2 : lengthOf(call) < 1_000;
      if (mayPass) return says(isSummaryCall(call) ? summary : "Short.");
      refusals += isSummaryCall(call) ? 1 : 0;
      return tooLong;
    },
  });
  await world.prompt("note", { text: "word ".repeat(100_000), reply: false });
  await world.prompt("p1", { text: "What now?" });
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Short." });
  const tried = world.server.calls.filter(isSummaryCall).map(lengthOf);
  assert.equal(tried.length, 3);
  assert.deepEqual(
    tried,
    tried.toSorted((left, right) => right - left),
  );
});

test("a prompt that is too long by itself fails with the reason; the next one runs (L4)", async (t) => {
  const world = await openWorld(t, {
    facts: small,
    script: summing((call) =>
      call.messages.some(({ text }) => text.length > 10_000) ? tooLong : says("Short."),
    ),
  });
  await world.prompt("p1", { text: "word ".repeat(4_000) });
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: contextTooLong");
  assert.match(text ?? "", /start another session/);
  await world.prompt("p2", { text: "short" });
  assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "Short." });
});

test("a run that only reads and summarizes in a loop is ended", async (t) => {
  let reads = 0;
  const world = await openWorld(t, {
    files: { "long.txt": `${"word ".repeat(100)}\n`.repeat(100) },
    facts: { limits: { context: 12_000, output: 1_000 } },
    script: summing(() => {
      reads += 1;
      const calls = [1, 2, 3, 4, 5, 6].map((place) => ({
        name: "read",
        input: { path: "long.txt", offset: reads * 10 + place },
        id: `c${reads}-${place}`,
      }));
      return asks(...calls);
    }),
  });
  await world.prompt("p1", { text: "Read all of it." });
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: contextTooLong");
  assert.match(text ?? "", /summarized several times in a row/);
  assert.equal(world.server.calls.filter(isSummaryCall).length, 4);
});

test("C5 a compaction can be cancelled, and a partial summary is never kept", async (t) => {
  const { world, goOn } = await openInCompaction(t);
  await world.holdfast().cancel({ sessionId: "main" });
  assert.equal((await world.outcome("p1")).ended, "cancelled: sessionCancel");
  const answered = (await world.log()).filter(({ type }) => type === "step.answered");
  assert.deepEqual(answered, []);
  goOn();
  await world.prompt("p2", { text: "two" });
  assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "Well." });
  assert.deepEqual(
    world.server.calls.at(-1)?.messages.map(({ text }) => text),
    [`Summary of the conversation so far:\n\n${summary}`, "two"],
  );
});

test("M9 a compaction that a drain interrupted is repeated by the next process", async (t) => {
  const { world, goOn } = await openInCompaction(t);
  goOn();
  await world.restart(0);
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Well." });
});

function lengthOf(call: ModelCall | undefined): number {
  return call?.messages.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
}

/** A world in which `p1` waits for a summary that stops half-way until the test releases it. */
async function openInCompaction(t: TestContext): Promise<{ world: World; goOn: () => void }> {
  let hangs = true;
  const world = await openWorld(t, {
    facts: small,
    script: summing(
      () => says("Well."),
      () => (hangs ? { parts: [{ text: "SUMM" }, { wait: forever }] } : says(summary)),
    ),
  });
  await world.prompt("note", { text: "word ".repeat(5_500), reply: false });
  await world.prompt("p1", { text: "one" });
  await waitFor(() => world.server.calls.some(isSummaryCall), {
    describe: "a request for a summary",
  });
  return {
    world,
    goOn: () => {
      hangs = false;
    },
  };
}
