import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ask, Holdfast } from "@holdfast/sdk";
import { createAsks } from "../../../src/cli/terminal/asks.ts";
import type { Lines } from "../../../src/cli/terminal/lines.ts";
import { waitFor } from "../../support/wait-for.ts";

const silent: Lines = {
  text() {},
  note() {},
  say() {},
  question() {},
  withdrawn() {},
  answered() {},
  endText() {},
  waiting() {},
  close() {},
};

/** Answers all asks with `--yes`. Every session has one ask with the same id. */
function openAsks() {
  const answered: string[] = [];
  const session = (sessionId: string) => ({
    eachAsk: async function* () {
      const ask = { sessionId, askId: "same", callId: null, question: "May it?", extra: null };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
      yield { ...ask, runId: "r" } as unknown as Ask;
    },
    answer: async (askId: string) => void answered.push(`${sessionId} ${askId}`),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const holdfast = { session } as unknown as Holdfast;
  const onError = (error: unknown): void => void answered.push(String(error));
  const asks = createAsks(holdfast, { lines: silent, answerer: "yes", onGone() {}, onError });
  return { asks, answered };
}

test("asks of two sessions with the same id are both answered", async () => {
  const { asks, answered } = openAsks();
  asks.opened({ sessionId: "parent", askId: "same" });
  asks.opened({ sessionId: "child", askId: "same" });
  await waitFor(() => answered.length === 2, { describe: "both answers", limit: 2_000 });
  assert.deepEqual(answered, ["parent same", "child same"]);
});

test("an ask that is closed withdraws no ask of another session with the same id", async () => {
  const { asks, answered } = openAsks();
  asks.opened({ sessionId: "parent", askId: "same" });
  asks.opened({ sessionId: "child", askId: "same" });
  asks.closed({ sessionId: "parent", askId: "same" });
  await waitFor(() => answered.length > 0, { describe: "the answer", limit: 2_000 });
  assert.deepEqual(answered, ["child same"]);
});
