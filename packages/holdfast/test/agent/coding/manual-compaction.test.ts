import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply, Script } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "../../workspace/load/workspace-fixture.ts";
import { refusalOf } from "../../runner/support/refusal.ts";
import { isSummaryCall, longStory, textsOf } from "./summary-call.ts";

const forever = new Promise<never>(() => {});
const read = (id: string): Reply => asks({ name: "read", input: { path: "long.txt" }, id });
const summaryOf = (text: string): string => `Summary of the conversation so far:\n\n${text}`;

interface Fixture {
  readonly fixture: Awaited<ReturnType<typeof openWorkspaceFixture>>;
  /** Calls for a summary, and all others, in order. */
  summaries(): readonly ModelCall[];
  answers(): readonly ModelCall[];
  send(promptId: string, fields?: Fields): Promise<void>;
  compact(promptId: string, words?: string, fields?: Fields): Promise<void>;
  ended(promptId: string): Promise<{ ended: string; text: string | null }>;
}

type Fields = Partial<
  Parameters<Awaited<ReturnType<typeof openWorkspaceFixture>>["runtime"]["prompt"]>[0]
>;

/** A session `main` whose model answers by the scripts. */
async function openFixture(
  t: TestContext,
  scripts: { answer?: Script; sum?: Script } = {},
): Promise<Fixture> {
  const { answer = () => says("Well."), sum = () => says("SUMMARY") } = scripts;
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    model: "local/usual",
    script: (call) => (isSummaryCall(call) ? sum(call) : answer(call)),
  });
  const { runtime, directory, server } = fixture;
  await runtime.createSession({ sessionId: "main", directory });
  const send: Fixture["send"] = async (promptId, fields = {}) => {
    await runtime.prompt({ sessionId: "main", text: `text of ${promptId}`, ...fields, promptId });
  };
  return {
    fixture,
    summaries: () => server.calls.filter(isSummaryCall),
    answers: () => server.calls.filter((call) => !isSummaryCall(call)),
    send,
    compact: (promptId, words = "", fields = {}) =>
      send(promptId, { ...fields, text: "", command: { name: "compact", arguments: words } }),
    ended: async (promptId) => {
      const row = await runtime.wait({ sessionId: "main", promptId });
      const { status = "unsettled", reason = null } = row?.outcome ?? {};
      const text = row === null ? null : await runtime.resultText(row);
      return { ended: reason === null ? status : `${status}: ${reason}`, text };
    },
  };
}

/** Same as above, with a conversation that is long enough to summarize. */
async function openLongFixture(
  t: TestContext,
  scripts?: { answer?: Script; sum?: Script },
): Promise<Fixture> {
  const fixture = await openFixture(t, scripts);
  await fixture.send("story", { text: longStory, model: "local/other" });
  assert.equal((await fixture.ended("story")).ended, "completed");
  return fixture;
}

test("T1 a tool call in a summary is ignored, and the next request is valid", async (t) => {
  const call = { id: "c1", name: "read", input: { path: "long.txt" } };
  const sum = (): Reply => ({ parts: [{ text: "SUMMARY" }, { call }], finish: "calls" });
  const fixture = await openLongFixture(t, { sum });
  await fixture.compact("compact");
  assert.equal((await fixture.ended("compact")).ended, "completed");
  await fixture.send("last");
  assert.deepEqual(await fixture.ended("last"), { ended: "completed", text: "Well." });
  assert.deepEqual(textsOf(fixture.answers().at(-1)), [summaryOf("SUMMARY"), "text of last"]);
});

test("M8 L2 a requested summary waits in the queue, and people still see all messages", async (t) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const fixture = await openLongFixture(t, {
    answer: (call) => (textsOf(call).at(-1) === "text of first" ? promise : says("Well.")),
  });
  await fixture.send("first");
  await waitFor(() => fixture.answers().length, {
    describe: "two answers",
    until: (count) => count === 2,
  });
  await fixture.compact("compact", "the wolf's name");
  await fixture.send("last");
  resolve(says("Done."));
  const { ended, text } = await fixture.ended("compact");
  assert.equal(ended, "completed");
  assert.match(text ?? "", /^Summarized: .* about 20 tokens .* about 1,\d00\. /);
  assert.equal((await fixture.ended("last")).ended, "completed");

  const [request] = fixture.summaries();
  const asked = textsOf(request).join("\n");
  assert.match(asked, /wants the summary to keep above all: the wolf's name\n/);
  assert.ok(asked.includes(longStory) && asked.includes("[user]\ntext of first\n\n[agent]\nDone."));
  assert.ok(!asked.includes("Summarize the conversation so far"), "it is not part of the work");
  assert.ok(!asked.includes("text of last"), "it comes later");
  assert.equal(request?.model, "usual", "as the prompt before it");
  assert.deepEqual(textsOf(fixture.answers().at(-1)), [summaryOf("SUMMARY"), "text of last"]);

  const { runtime } = fixture.fixture;
  const page = await runtime.messages({ sessionId: "main", after: null, limit: 100 });
  assert.deepEqual(
    page?.messages.map((message) => (message.role === "tool" ? "" : message.text)),
    [
      longStory,
      "Well.",
      "text of first",
      "Done.",
      "Summarize the conversation so far. Keep above all: the wolf's name",
      "SUMMARY",
      text,
      "text of last",
      "Well.",
    ],
  );
});

test("M8 a second summary covers the first one and later messages, with the requested model", async (t) => {
  const fixture = await openLongFixture(t, {
    sum: ({ index }) => says(index === 1 ? "ONE" : "TWO"),
  });
  await fixture.compact("compact1");
  assert.equal((await fixture.ended("compact1")).ended, "completed");
  await fixture.send("more", { text: "word ".repeat(500) });
  await fixture.ended("more");
  await fixture.compact("compact2", "", { model: "local/third" });
  assert.equal((await fixture.ended("compact2")).ended, "completed");
  const [first, second] = fixture.summaries();
  assert.deepEqual([first?.model, second?.model], ["other", "third"]);
  const asked = textsOf(second).join("\n");
  assert.ok(asked.includes(summaryOf("ONE")) && asked.includes("word word"));
  assert.ok(!asked.includes(longStory));
  await fixture.send("last");
  await fixture.ended("last");
  assert.deepEqual(textsOf(fixture.answers().at(-1)), [summaryOf("TWO"), "text of last"]);
});

test("M8 a request to summarize a short conversation makes no model call", async (t) => {
  const fixture = await openFixture(t);
  await fixture.compact("early");
  const nothing = {
    ended: "completed",
    text: "Nothing to summarize yet: the conversation since its start or its last summary is short.",
  };
  assert.deepEqual(await fixture.ended("early"), nothing);
  await fixture.send("story", { text: longStory });
  await fixture.ended("story");
  await fixture.compact("useful");
  await fixture.ended("useful");
  await fixture.compact("again");
  assert.deepEqual(await fixture.ended("again"), nothing);
  assert.equal(fixture.summaries().length, 1);
  await fixture.send("last");
  await fixture.ended("last");
  assert.deepEqual(fixture.answers().map(textsOf), [
    [longStory],
    [summaryOf("SUMMARY"), "text of last"],
  ]);
});

test("C5 a cancelled summary leaves the conversation unchanged", async (t) => {
  const fixture = await openLongFixture(t, {
    sum: () => ({ parts: [{ text: "SUMM" }, { wait: forever }] }),
  });
  await fixture.compact("compact");
  await waitFor(() => fixture.summaries().length, {
    describe: "a summary",
    until: (count) => count === 1,
  });
  await fixture.send("last");
  await fixture.fixture.runtime.cancel({
    sessionId: "main",
    scope: { kind: "prompt", promptId: "compact" },
  });
  assert.equal((await fixture.ended("compact")).ended, "cancelled: promptCancel");
  assert.equal((await fixture.ended("last")).ended, "completed");
  assert.deepEqual(textsOf(fixture.answers().at(-1)), [longStory, "Well.", "text of last"]);
});

test("L6 a prompt that is steered in during a summary is answered by the same run", async (t) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const fixture = await openLongFixture(t, { sum: () => promise });
  await fixture.compact("compact");
  await waitFor(() => fixture.summaries().length, {
    describe: "a summary",
    until: (count) => count === 1,
  });
  await fixture.send("steer", { delivery: "steer" });
  resolve(says("SUMMARY"));
  assert.deepEqual(await fixture.ended("compact"), { ended: "completed", text: "Well." });
  assert.deepEqual(await fixture.ended("steer"), { ended: "completed", text: "Well." });
  assert.deepEqual(textsOf(fixture.answers().at(-1)), [summaryOf("SUMMARY"), "text of steer"]);
  assert.equal(fixture.answers().length, 2);
});

test("L6 a summary that is steered into a run is made once, at the next step", async (t) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const answers = [says("Well."), promise, read("after"), says("Read.")];
  const fixture = await openLongFixture(t, { answer: () => answers.shift() ?? says("Too much.") });
  fixture.fixture.write("project/long.txt", longStory);
  await fixture.send("work");
  await waitFor(() => fixture.answers().length, {
    describe: "two answers",
    until: (count) => count === 2,
  });
  await fixture.compact("compact", "", { delivery: "steer" });
  resolve(read("before"));
  assert.deepEqual(await fixture.ended("work"), { ended: "completed", text: "Read." });
  assert.deepEqual(await fixture.ended("compact"), { ended: "completed", text: "Read." });
  assert.equal(fixture.summaries().length, 1);
  assert.deepEqual(textsOf(fixture.answers()[2]), [summaryOf("SUMMARY"), "text of work"]);
});

test("P5 an invalid summary request is refused, and nothing is stored", async (t) => {
  const fixture = await openFixture(t);
  const file = { name: null, mediaType: "text/plain", content: Buffer.from("words") };
  for (const [fields, message] of [
    [{ reply: false }, "/compact needs a reply"],
    [{ attachments: [file] }, "/compact accepts no files"],
  ] as const) {
    const refusal = await refusalOf(fixture.compact("compact", "", fields));
    assert.deepEqual([refusal.code, refusal.message], ["invalid", message]);
  }
  const { runtime } = fixture.fixture;
  assert.equal(await runtime.store.prompt("main", "compact"), null);
  // Any other text would be a prompt for the model.
  await runtime.placeHold({ sessionId: "main", reason: "for now" });
  await fixture.compact("compact");
  const edit = { sessionId: "main", promptId: "compact", text: "Keep the names", revision: 1 };
  const refusal = await refusalOf(runtime.editPrompt(edit));
  assert.deepEqual(
    [refusal.code, refusal.message],
    ["invalid", "/compact has no text to edit; cancel it and send it again"],
  );
});
