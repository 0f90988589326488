import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast, Prompt, SessionDetail, SessionItem } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { openSessionView } from "../../src/session/session-view.ts";
import type { SessionView } from "../../src/session/session-view.ts";

/** A stream item with the fields that the view reads. */
function item(fields: object): SessionItem {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the view reads only these fields
  return { sessionId: "s", at: 1, actor: null, ...fields } as unknown as SessionItem;
}

/** Opens a view of a session whose log has 500 events before the given items. */
function openView(
  test: { after(work: () => void): void },
  options: {
    items: readonly SessionItem[];
    queue?: readonly object[];
    whole?: object;
  },
): { view: SessionView; reads: string[] } {
  const reads: string[] = [];
  const handle = {
    sessionId: "s",
    get: async () => {
      const detail = { seq: 500, queue: options.queue ?? [], active: null };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      return detail as unknown as SessionDetail;
    },
    eachAsk: async function* () {},
    events: async function* ({ after, follow = true }: { after: number; follow?: boolean }) {
      reads.push(`events after ${after}`);
      yield* options.items;
      // A stream that is followed stays open.
      if (follow) await new Promise(() => {});
    },
    event: async (seq: number) => {
      reads.push(`event ${seq}`);
      return options.whole;
    },
    promptById: (promptId: string) => ({
      get: async () => {
        reads.push(promptId);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
        return { promptId, text: `text of ${promptId}`, attachments: [] } as unknown as Prompt;
      },
    }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const holdfast = { session: () => handle } as unknown as Holdfast;
  const listener = { onChange() {}, onNews() {}, onEnd() {}, onReset() {} };
  const view = openSessionView(holdfast, "s", listener);
  test.after(() => view.close());
  return { view, reads };
}

test("a queued prompt that is older than the first event read has its text", async (t) => {
  const queue = [{ kind: "prompt", promptId: "old", binding: null }];
  const { view } = openView(t, { items: [item({ type: "live" })], queue });
  const prompt = await waitFor(() => view.conversation.prompts.get("old"), {
    describe: "the prompt",
  });
  assert.equal(prompt?.text, "text of old");
});

test("a prompt that enters a run and is older than the first event read gets its text", async (t) => {
  const started = item({
    type: "run.started",
    seq: 501,
    runId: "r",
    promptId: "old",
    promptIds: ["old"],
  });
  const taken = item({ type: "prompt.takenIn", seq: 502, runId: "r", promptId: "old" });
  const { view } = openView(t, { items: [item({ type: "live" }), started, taken] });
  await waitFor(() => view.conversation.prompts.get("old")?.text === "text of old", {
    describe: "the text",
  });
});

test("a request that the stream has cut is read whole", async (t) => {
  const opened = {
    type: "ask.opened",
    seq: 501,
    runId: "r",
    askId: "a",
    callId: null,
    truncated: true,
  };
  const cut = item({ ...opened, content: { question: "May the agent run", extra: null } });
  const question = "May the agent run make?";
  const whole = item({ ...opened, truncated: false, content: { question, extra: null } });
  const { view } = openView(t, { items: [cut], whole });
  await waitFor(() => view.asks[0]?.question === question, { describe: "the question" });
});

test("the whole conversation is read from the first event on", async (t) => {
  const { view, reads } = openView(t, { items: [item({ type: "live" })] });
  await waitFor(() => view.isLive, { describe: "the stream" });
  await view.whole();
  assert.deepEqual(reads, ["events after 100", "events after 0"]);
});
