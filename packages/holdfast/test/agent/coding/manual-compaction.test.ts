import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply, Script } from "../../../../../gauntlet/model-server/script.ts";
import { openHouse } from "../../workspace/load/house.ts";
import { refusalOf } from "../../runner/support/refusal.ts";
import { isSummaryCall, longStory, textsOf } from "./summary-call.ts";

const forever = new Promise<never>(() => {});
const read = (id: string): Reply => asks({ name: "read", input: { path: "long.txt" }, id });
const summaryOf = (text: string): string => `Summary of the conversation so far:\n\n${text}`;

interface Room {
  readonly house: Awaited<ReturnType<typeof openHouse>>;
  /** Calls for a summary, and all others, in order. */
  summaries(): readonly ModelCall[];
  answers(): readonly ModelCall[];
  send(promptId: string, fields?: Fields): Promise<void>;
  compact(promptId: string, words?: string, fields?: Fields): Promise<void>;
  ended(promptId: string): Promise<{ ended: string; text: string | null }>;
}

type Fields = Partial<Parameters<Awaited<ReturnType<typeof openHouse>>["runtime"]["prompt"]>[0]>;

/** A session `main` whose model answers by the scripts. */
async function openRoom(
  t: TestContext,
  scripts: { answer?: Script; sum?: Script } = {},
): Promise<Room> {
  const { answer = () => says("Well."), sum = () => says("SUMMARY") } = scripts;
  const house = await openHouse(t, {
    connected: true,
    model: "local/usual",
    script: (call) => (isSummaryCall(call) ? sum(call) : answer(call)),
  });
  const { runtime, directory, server } = house;
  await runtime.createSession({ sessionId: "main", directory });
  const send: Room["send"] = async (promptId, fields = {}) => {
    await runtime.prompt({ sessionId: "main", text: `text of ${promptId}`, ...fields, promptId });
  };
  return {
    house,
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

/** The same with something said that is worth summing up. */
async function openLongRoom(
  t: TestContext,
  scripts?: { answer?: Script; sum?: Script },
): Promise<Room> {
  const room = await openRoom(t, scripts);
  await room.send("story", { text: longStory, model: "local/other" });
  assert.equal((await room.ended("story")).ended, "completed");
  return room;
}

test("M8 L2 people have the conversation summed up in its place in the queue, and nothing is lost to them", async (t) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const room = await openLongRoom(t, {
    answer: (call) => (textsOf(call).at(-1) === "text of first" ? promise : says("Well.")),
  });
  await room.send("first");
  await waitFor(() => room.answers().length, {
    describe: "two answers",
    until: (count) => count === 2,
  });
  await room.compact("compact", "the wolf's name");
  await room.send("last");
  resolve(says("Done."));
  const { ended, text } = await room.ended("compact");
  assert.equal(ended, "completed");
  assert.match(text ?? "", /^Summed up: .* about 20 tokens .* about 1,\d00\. /);
  assert.equal((await room.ended("last")).ended, "completed");

  const [request] = room.summaries();
  const asked = textsOf(request).join("\n");
  assert.match(asked, /want kept what they name here: the wolf's name\n/);
  assert.ok(
    asked.includes(longStory) && asked.includes("[people]\ntext of first\n\n[agent]\nDone."),
  );
  assert.ok(!asked.includes("Sum up the conversation so far"), "it is not part of the work");
  assert.ok(!asked.includes("text of last"), "it comes later");
  assert.equal(request?.model, "usual", "as the prompt before it");
  assert.deepEqual(textsOf(room.answers().at(-1)), [summaryOf("SUMMARY"), "text of last"]);

  const { runtime } = room.house;
  const page = await runtime.messages({ sessionId: "main", after: null, limit: 100 });
  assert.deepEqual(
    page?.messages.map((message) => (message.role === "tool" ? "" : message.text)),
    [
      longStory,
      "Well.",
      "text of first",
      "Done.",
      "Sum up the conversation so far. Keep above all: the wolf's name",
      "SUMMARY",
      text,
      "text of last",
      "Well.",
    ],
  );
});

test("M8 a second summary is made of the first one and what came since, by the model that was named", async (t) => {
  const room = await openLongRoom(t, {
    sum: ({ index }) => says(index === 1 ? "ONE" : "TWO"),
  });
  await room.compact("compact1");
  assert.equal((await room.ended("compact1")).ended, "completed");
  await room.send("more", { text: "word ".repeat(500) });
  await room.ended("more");
  await room.compact("compact2", "", { model: "local/third" });
  assert.equal((await room.ended("compact2")).ended, "completed");
  const [first, second] = room.summaries();
  assert.deepEqual([first?.model, second?.model], ["other", "third"]);
  const asked = textsOf(second).join("\n");
  assert.ok(asked.includes(summaryOf("ONE")) && asked.includes("word word"));
  assert.ok(!asked.includes(longStory));
  await room.send("last");
  await room.ended("last");
  assert.deepEqual(textsOf(room.answers().at(-1)), [summaryOf("TWO"), "text of last"]);
});

test("M8 where there is little to sum up the model is not asked, and hears nothing of it", async (t) => {
  const room = await openRoom(t);
  await room.compact("early");
  const nothing = {
    ended: "completed",
    text: "There is nothing to sum up yet: since the session's beginning, or its last summary, little was said.",
  };
  assert.deepEqual(await room.ended("early"), nothing);
  await room.send("story", { text: longStory });
  await room.ended("story");
  await room.compact("useful");
  await room.ended("useful");
  await room.compact("again");
  assert.deepEqual(await room.ended("again"), nothing);
  assert.equal(room.summaries().length, 1);
  await room.send("last");
  await room.ended("last");
  assert.deepEqual(room.answers().map(textsOf), [
    [longStory],
    [summaryOf("SUMMARY"), "text of last"],
  ]);
});

test("C5 a summary that people have asked for can be cancelled: the conversation is as it was", async (t) => {
  const room = await openLongRoom(t, {
    sum: () => ({ parts: [{ text: "SUMM" }, { wait: forever }] }),
  });
  await room.compact("compact");
  await waitFor(() => room.summaries().length, {
    describe: "a summary",
    until: (count) => count === 1,
  });
  await room.send("last");
  await room.house.runtime.cancel({
    sessionId: "main",
    scope: { kind: "prompt", promptId: "compact" },
  });
  assert.equal((await room.ended("compact")).ended, "cancelled: promptCancel");
  assert.equal((await room.ended("last")).ended, "completed");
  assert.deepEqual(textsOf(room.answers().at(-1)), [longStory, "Well.", "text of last"]);
});

test("L6 what is steered in while a summary is made is answered from it, by the same run", async (t) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const room = await openLongRoom(t, { sum: () => promise });
  await room.compact("compact");
  await waitFor(() => room.summaries().length, {
    describe: "a summary",
    until: (count) => count === 1,
  });
  await room.send("steer", { delivery: "steer" });
  resolve(says("SUMMARY"));
  assert.deepEqual(await room.ended("compact"), { ended: "completed", text: "Well." });
  assert.deepEqual(await room.ended("steer"), { ended: "completed", text: "Well." });
  assert.deepEqual(textsOf(room.answers().at(-1)), [summaryOf("SUMMARY"), "text of steer"]);
  assert.equal(room.answers().length, 2);
});

test("L6 steered into a run, it sums up once, at the next step boundary, and the run goes on", async (t) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const answers = [says("Well."), promise, read("after"), says("Read.")];
  const room = await openLongRoom(t, { answer: () => answers.shift() ?? says("Too much.") });
  room.house.write("project/long.txt", longStory);
  await room.send("work");
  await waitFor(() => room.answers().length, {
    describe: "two answers",
    until: (count) => count === 2,
  });
  await room.compact("compact", "", { delivery: "steer" });
  resolve(read("before"));
  assert.deepEqual(await room.ended("work"), { ended: "completed", text: "Read." });
  assert.deepEqual(await room.ended("compact"), { ended: "completed", text: "Read." });
  assert.equal(room.summaries().length, 1);
  assert.deepEqual(textsOf(room.answers()[2]), [summaryOf("SUMMARY"), "text of work"]);
});

test("P5 what could not be made of it is refused, and nothing is kept", async (t) => {
  const room = await openRoom(t);
  const file = { name: null, mediaType: "text/plain", content: Buffer.from("words") };
  for (const [fields, message] of [
    [{ reply: false }, "/compact needs a reply"],
    [{ attachments: [file] }, "/compact takes no files"],
  ] as const) {
    const refusal = await refusalOf(room.compact("compact", "", fields));
    assert.deepEqual([refusal.code, refusal.message], ["invalid", message]);
  }
  const { runtime } = room.house;
  assert.equal(await runtime.store.prompt("main", "compact"), null);
  // Other words would be a prompt for the model.
  await runtime.placeHold({ sessionId: "main", reason: "for now" });
  await room.compact("compact");
  const edit = { sessionId: "main", promptId: "compact", text: "Keep the names", revision: 1 };
  const refusal = await refusalOf(runtime.editPrompt(edit));
  assert.deepEqual(
    [refusal.code, refusal.message],
    ["invalid", "/compact has no words to edit; withdraw it, and send it anew"],
  );
});
