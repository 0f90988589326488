import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeKind } from "../src/notice-words.ts";

type Answer = Awaited<ReturnType<Parameters<typeof noticeKind>[0]["ask"]>>;

/** Asks with these answers, one after the other. Returns the result and the times that were slept. */
async function asked(...answers: Answer[]) {
  const slept: number[] = [];
  const kind = await noticeKind({
    ask: async () => answers.shift() ?? null,
    sleep: async (milliseconds) => slept.push(milliseconds),
  });
  return { kind, slept, left: answers.length };
}

test("a request that still waits at the end of the quiet hours notifies then", async () => {
  const asleep = { kind: "needsYou", quiet: "quietHours" } as const;
  const awake = { kind: "needsYou", quiet: null } as const;
  assert.deepEqual(await asked(asleep, asleep, awake), {
    kind: "needsYou",
    slept: [1_000, 60_000, 60_000],
    left: 0,
  });
  const over = { kind: "needsYou", quiet: "over" } as const;
  assert.deepEqual(await asked(asleep, over, awake), {
    kind: null,
    slept: [1_000, 60_000],
    left: 1,
  });
});

test("a run that ended in the quiet hours, a seen event and a lost server notify nobody", async () => {
  const once = { kind: null, slept: [1_000], left: 1 };
  const awake = { kind: "finished", quiet: null } as const;
  assert.deepEqual(await asked({ kind: "finished", quiet: "quietHours" }, awake), once);
  assert.deepEqual(await asked({ kind: "finished", quiet: "seen" }, awake), once);
  assert.deepEqual(await asked(null, awake), once);
  assert.deepEqual(await asked({ kind: null, quiet: null }, awake), once);
  assert.deepEqual(await asked(awake), { kind: "finished", slept: [1_000], left: 0 });
});
