import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionDetail } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { takeQueueKey } from "../../src/commands/queue-keys.ts";
import { submit } from "../../src/commands/submit.ts";
import { openClient, showSession } from "../support/client.ts";
import type { TestClient } from "../support/client.ts";

const whole = "long ".repeat(40_000);

/** A client with one queued prompt, whose text the stream has cut. */
function openQueue(
  test: Parameters<typeof openClient>[0],
  options: { prompt?: object; fails?: true; failsToEdit?: true } = {},
): TestClient & { calls: unknown[] } {
  const opened = openClient(test);
  const calls: unknown[] = [];
  const prompt = {
    text: whole,
    revision: 3,
    reply: true,
    attachments: [],
    agent: "looker",
    model: "acme/large",
    effort: "high",
    ...options.prompt,
  };
  const handle = {
    sessionId: "session",
    promptById: (promptId: string) => ({
      get: async () => prompt,
      edit: async (text: string, { revision }: { revision: number }) => {
        if (options.failsToEdit === true) throw new Error("The prompt has started.");
        calls.push(["edit", text.length, revision]);
      },
      promote: async () => void calls.push(["promote", promptId]),
      withdraw: async () => {
        calls.push(["withdraw", promptId]);
        return { covered: [{ promptId }] };
      },
    }),
    prompt: async (text: string, sent: object) => {
      if (options.fails === true) throw new Error("The queue is full.");
      // Undefined fields are not sent.
      calls.push(["prompt", text, JSON.parse(JSON.stringify(sent))]);
      return { promptId: "second" };
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys read only the queue
  const detail = {
    queue: [{ kind: "prompt", promptId: "first", binding: null }],
    holds: [],
    active: null,
    usage: { cost: 0 },
  } as unknown as SessionDetail;
  showSession(opened.client, handle, { detail });
  opened.client.queueSelection = "first";
  return { ...opened, calls };
}

test("e edits the whole text of a prompt that the stream has cut", async (t) => {
  const { client, calls } = openQueue(t);
  takeQueueKey(client, "e");
  const editing = await waitFor(() => client.editing, { describe: "the edit" });
  assert.equal(editing?.text, whole);
  await editing?.save("short");
  assert.deepEqual(calls, [["edit", 5, 3]]);
});

test("an edited text that is not saved returns to the empty editor", async (t) => {
  const { client, text } = openQueue(t, { failsToEdit: true });
  takeQueueKey(client, "e");
  await waitFor(() => client.editing, { describe: "the edit" });
  submit(client, "rewritten", "queue");
  await waitFor(() => client.editor.getText() === "rewritten", { describe: "the text" });
  assert.equal(client.editing, null);
  client.paint();
  assert.match(text(), /The prompt has started\./);
});

test("an edited text that is not saved is named and can be recalled, and the draft stays", async (t) => {
  const { client, text } = openQueue(t, { failsToEdit: true });
  client.editor.setText("a draft");
  takeQueueKey(client, "e");
  await waitFor(() => client.editing, { describe: "the edit" });
  submit(client, "rewritten", "queue");
  await waitFor(() => text().includes("Not saved: rewritten"), { describe: "the remark" });
  assert.equal(client.editor.getText(), "a draft");
  client.editor.setText("");
  client.editor.handleInput("\u001b[A");
  assert.equal(client.editor.getText(), "rewritten");
});

test("s sends a prompt again with all its fields, then withdraws the first one", async (t) => {
  const { client, calls } = openQueue(t);
  takeQueueKey(client, "s");
  await waitFor(() => calls.length === 2, { describe: "both requests" });
  const choices = { agent: "looker", model: "acme/large", effort: "high" };
  assert.deepEqual(calls, [
    ["prompt", whole, { delivery: "steer", reply: true, ...choices }],
    ["withdraw", "first"],
  ]);
});

test("s sends a slash command as a command", async (t) => {
  const command = { name: "review", arguments: "the diff", text: "Review the diff" };
  const { client, calls } = openQueue(t, { prompt: { text: "the diff", command } });
  takeQueueKey(client, "s");
  await waitFor(() => calls.length === 2, { describe: "both requests" });
  const choices = { agent: "looker", model: "acme/large", effort: "high" };
  const sent = { delivery: "steer", reply: true, ...choices };
  const use = { name: "review", arguments: "the diff" };
  assert.deepEqual(calls[0], ["prompt", "", { ...sent, command: use }]);
});

test("s keeps the queued prompt if it cannot be sent again", async (t) => {
  const { client, calls, text } = openQueue(t, { fails: true });
  takeQueueKey(client, "s");
  await waitFor(() => text().includes("The queue is full."), { describe: "the error" });
  assert.deepEqual(calls, []);
});

test("s keeps a queued prompt with attachments", async (t) => {
  const { client, calls } = openQueue(t, { prompt: { attachments: [{ hash: "h" }] } });
  takeQueueKey(client, "s");
  await waitFor(() => client.hint, { describe: "the hint" });
  assert.deepEqual([calls, client.hint?.includes("attachments")], [[], true]);
});

test("p runs a queued prompt now", async (t) => {
  const { client, calls } = openQueue(t);
  takeQueueKey(client, "p");
  await waitFor(() => calls.length, { describe: "the request" });
  assert.deepEqual([calls, client.queueSelection], [[["promote", "first"]], null]);
});

test("a prompt that x withdrew can be put back", async (t) => {
  const { client } = openQueue(t);
  takeQueueKey(client, "x");
  await waitFor(() => client.cancelled, { describe: "the receipt" });
  assert.deepEqual(client.cancelled, { sessionId: "session", promptIds: ["first"] });
  assert.equal(client.hint, "/put-back resends the prompt");
});
