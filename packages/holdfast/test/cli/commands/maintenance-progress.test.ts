import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast } from "@holdfast/sdk";
import { followAction } from "../../../src/cli/commands/maintenance-progress.ts";

test("a wait prints how many runs are left, and nothing while the old config closes", async (t) => {
  const printed: string[] = [];
  t.mock.method(process.stderr, "write", (text: string) => printed.push(text) > 0);
  t.mock.method(console, "log", () => {});
  const seen = Promise.withResolvers<void>();
  const run = { directory: "/d", sessionId: "s", runId: "run-1" };
  const action = { actionId: "a", endedAt: null, problems: [], kind: "refresh" };
  // A stub of the parts that a wait uses: the real server closes too fast to show this state each time.
  const holdfast = {
    async *events() {
      for (const waitingFor of [[run, run], [run], []]) {
        yield { type: "maintenance", action: { ...action, waitingFor } };
      }
      seen.resolve();
    },
    maintenance: {
      ended: async () => {
        await seen.promise;
        return { ...action, status: "completed", waitingFor: [] };
      },
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const client = holdfast as unknown as Holdfast;
  assert.equal(await followAction(client, { actionId: "a", place: "", isForced: true }), 0);
  const text = printed.join("");
  assert.match(text, /waiting for 1 run…/);
  assert.doesNotMatch(text, /0 runs/);
});

test("a wait that a signal ends exits with 130 after SIGINT and 143 after SIGTERM", async (t) => {
  t.mock.method(process.stderr, "write", () => true);
  t.mock.method(console, "error", () => {});
  const codes: number[] = [];
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const client = endless(signal) as Holdfast;
    codes.push(await followAction(client, { actionId: "a", place: "", isForced: true }));
  }
  assert.deepEqual(codes, [130, 143]);
});

/** A stub whose action never ends. It reports the signal to this process. */
const endless = (signal: NodeJS.Signals): unknown => ({
  async *events() {},
  maintenance: {
    ended: (_: string, options: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        options.signal.addEventListener("abort", () => reject(new Error("aborted")));
        process.emit(signal, signal);
      }),
  },
});
