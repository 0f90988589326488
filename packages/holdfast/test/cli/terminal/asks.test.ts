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
  await waitFor(() => answered.length === 2, { describe: "both answers" });
  assert.deepEqual(answered, ["parent same", "child same"]);
});

test("an ask that is closed withdraws no ask of another session with the same id", async () => {
  const { asks, answered } = openAsks();
  asks.opened({ sessionId: "parent", askId: "same" });
  asks.opened({ sessionId: "child", askId: "same" });
  asks.closed({ sessionId: "parent", askId: "same" });
  await waitFor(() => answered.length > 0, { describe: "the answer" });
  assert.deepEqual(answered, ["child same"]);
});

test("work that interrupts the questions waits for no answer that is being sent, and for no question in the queue", async () => {
  const done: string[] = [];
  const taken = Promise.withResolvers<void>();
  const session = (sessionId: string) => ({
    eachAsk: async function* ({ signal }: { signal: AbortSignal }) {
      // The server does not tell the content of the second ask at first.
      if (sessionId === "second" && !done.includes("interrupted")) await aborted(signal);
      const ask = { sessionId, askId: "ask", callId: null, question: "May it?", extra: null };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
      yield { ...ask, runId: "r" } as unknown as Ask;
    },
    answer: async () => {
      done.push(`answer ${sessionId}`);
      if (sessionId === "first") await taken.promise;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const holdfast = { session } as unknown as Holdfast;
  const onError = (error: unknown): void => void done.push(String(error));
  const asks = createAsks(holdfast, { lines: silent, answerer: "yes", onGone() {}, onError });
  for (const sessionId of ["first", "second", "third"]) asks.opened({ sessionId, askId: "ask" });
  await waitFor(() => done.length > 0, { describe: "the first answer" });
  const interrupting = asks.before(async () => void done.push("interrupted"));
  await waitFor(() => done.length === 4, { describe: "all answers" });
  await interrupting;
  taken.resolve();
  assert.deepEqual(done.slice(0, 2), ["answer first", "interrupted"]);
  assert.deepEqual(done.slice(2).toSorted(), ["answer second", "answer third"]);
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });
}
