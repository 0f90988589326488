import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast, SessionItem } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { openSessionView } from "../../src/session/session-view.ts";

/** A stream item with the fields that the view reads. */
function item(fields: object): SessionItem {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the view reads only these fields
  return { sessionId: "s", at: 1, actor: null, ...fields } as unknown as SessionItem;
}

function accepted(seq: number, promptId: string): SessionItem {
  const content = { text: `text of ${promptId}`, attachments: [] };
  return item({ type: "prompt.accepted", seq, promptId, content, binding: null, resultOf: null });
}

function opened(seq: number, askId: string): SessionItem {
  const content = { question: `May ${askId}?`, extra: null };
  return item({ type: "ask.opened", seq, askId, runId: "r", callId: null, content });
}

const restored = [accepted(1, "kept"), opened(2, "kept-ask")];
const lost = [accepted(3, "lost"), opened(4, "lost-ask")];

/** A server that is replaced by a restored backup, which lacks the last two events of the session. */
function openServer() {
  const backup = Promise.withResolvers<void>();
  const next = Promise.withResolvers<SessionItem>();
  let log = [...restored, ...lost];
  const read: number[] = [];
  const state = () => ({
    seq: log.length,
    active: null,
    queue: log.flatMap((event) =>
      event.type === "prompt.accepted" ? [{ kind: "prompt", promptId: event.promptId }] : [],
    ),
  });
  const handle = {
    sessionId: "s",
    get: async () => state(),
    promptById: () => ({ get: () => Promise.reject(new Error("not in the log")) }),
    eachAsk: async function* () {
      for (const event of log) {
        if (event.type !== "ask.opened") continue;
        yield { askId: event.askId, question: event.content?.question, extra: null };
      }
    },
    events: async function* ({ after }: { after: number }) {
      read.push(after);
      yield* log.slice(after);
      yield item({ type: "live", seq: log.length });
      if (log.length > restored.length) {
        await backup.promise;
        log = [...restored];
        // The stream continues at the end of the restored log.
        yield item({ type: "reset", seq: log.length });
        yield item({ type: "live", seq: log.length });
      }
      yield await next.promise;
      await new Promise(() => {});
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the view uses only these methods
  const holdfast = { session: () => handle } as unknown as Holdfast;
  return { holdfast, restore: backup.resolve, send: next.resolve, read };
}

test("after a restored backup the view shows the session of the backup, and only later events are news (T2)", async (t) => {
  const { holdfast, restore, send, read } = openServer();
  const told: string[] = [];
  const view = openSessionView(holdfast, "s", {
    onChange() {},
    onNews: (event) => void told.push(`news ${event.seq}`),
    onEnd: (error) => void told.push(`end ${String(error)}`),
    onReset: () => void told.push("reset"),
  });
  t.after(() => view.close());
  const shown = () => ({
    prompts: [...view.conversation.prompts.keys()],
    asks: view.asks.map(({ askId }) => askId),
    queue: view.detail?.queue.flatMap((each) => (each.kind === "prompt" ? [each.promptId] : [])),
    seq: view.detail?.seq,
  });
  await waitFor(() => view.isLive, { describe: "the stream" });
  assert.deepEqual(shown(), {
    prompts: ["kept", "lost"],
    asks: ["kept-ask", "lost-ask"],
    queue: ["kept", "lost"],
    seq: 4,
  });
  restore();
  await waitFor(() => told.includes("reset") && view.isLive, { describe: "the backup" });
  const backup = { prompts: ["kept"], asks: ["kept-ask"], queue: ["kept"], seq: 2 };
  assert.deepEqual([shown(), told, read], [backup, ["reset"], [0, 0]]);
  send(accepted(3, "new"));
  await waitFor(() => told.length === 2, { describe: "the next event" });
  assert.deepEqual(
    [told, shown().prompts],
    [
      ["reset", "news 3"],
      ["kept", "new"],
    ],
  );
});
