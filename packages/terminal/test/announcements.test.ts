import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { connectTo, openClient } from "./support/client.ts";
import { countOf } from "./support/story.ts";

/** A client for a screen reader that shows an idle session. `send` adds events to the session's log at once. */
function openIdleSession(t: Parameters<typeof openClient>[0]) {
  const { client, text } = openClient(t, { isPlain: true });
  const log: object[] = [{ type: "live" }];
  let seq = 0;
  let added = Promise.withResolvers<void>();
  const usage = { input: 0, cached: 0, output: 0, cost: 0 };
  connectTo(client, {
    session: (sessionId: string) => ({
      sessionId,
      markSeen: async () => {},
      get: async () => ({
        agent: null,
        mode: "ask",
        seq,
        queue: [],
        holds: [],
        active: null,
        usage,
      }),
      eachAsk: async function* () {},
      promptById: () => ({ get: async () => ({ text: "hi", attachments: [] }) }),
      events: async function* () {
        for (;;) {
          yield* log.splice(0);
          await added.promise;
          added = Promise.withResolvers();
        }
      },
    }),
  });
  client.open("s");
  const send = (...events: object[]): void => {
    for (const event of events) {
      seq += 1;
      log.push({ sessionId: "s", at: 1, seq, actor: { kind: "user", id: "me" }, ...event });
    }
    added.resolve();
  };
  return { text, send };
}

test("for a screen reader, the end of a run that no paint has shown as active is announced", async (t) => {
  const { text, send } = openIdleSession(t);
  const ready = (): number => countOf(text(), "Ready for a prompt.");
  await waitFor(() => ready() === 1, { describe: "the idle session" });
  for (const runId of ["r1", "r2"]) {
    const before = ready();
    send(
      { type: "run.started", runId, promptId: runId, attempt: 1, model: null },
      { type: "run.ended", runId, outcome: { status: "completed", reason: null }, usage: null },
    );
    await waitFor(() => ready() > before, { describe: `the end of ${runId}` });
  }
  assert.equal(ready(), 3);
  assert.doesNotMatch(text(), /Working/);
});
