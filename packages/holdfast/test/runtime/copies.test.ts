import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../src/agent/message.ts";
import { CommandRefused } from "../../src/runner/command-refused.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { MessagePage } from "../../src/runtime/views/messages.ts";
import { sqliteTest } from "../runner/support/sqlite-test.ts";
import type { Place } from "../runner/support/place.ts";
import { call } from "../runner/support/puppets.ts";
import type { Puppet } from "../runner/support/puppets.ts";
import { refusalOf } from "../runner/support/refusal.ts";
import { piecesOf } from "../runner/support/pieces.ts";

// Sessions that begin with the conversation of another one: forks and imports.

const picture = {
  name: "a.png",
  mediaType: "image/png",
  content: Uint8Array.from([137, 80, 78, 71, 0, 255]),
};

/** A session with every kind of content, in which nothing is open. */
async function fillSession(place: Place): Promise<void> {
  const { holdfast } = place.first;
  await holdfast.renameSession({ sessionId: "main", title: "Mend the test" });
  const first = await place.openStep("a", { attachments: [picture] });
  await first.answer("I write", [call("one")]);
  await place.prompt("withdrawn");
  await holdfast.cancel({
    sessionId: "main",
    scope: { kind: "prompt", promptId: "withdrawn" },
  });
  await first.startTool("one");
  await first.endTool("one", "written");
  await place.prompt("note", { reply: false });
  await first.finish("done");
  await place.outcome("note");
  const second = await place.openRun("b");
  second.fail(new Error("no more"));
  await place.outcome("b");
}

/** Content that the model gets, including the next prompt. */
async function modelSees(
  place: Place,
  target: { holdfast: Runtime; sessionId: string },
): Promise<{ run: Puppet; conversation: readonly Message[] }> {
  const { holdfast, sessionId } = target;
  const promptId = `look-${sessionId}`;
  await holdfast.prompt({ sessionId, promptId, text: "look" });
  const run = await place.puppets.next(sessionId);
  const messages = await run.context.conversation();
  const conversation = messages.filter(
    (message) => message.role !== "user" || message.promptId !== promptId,
  );
  return { run, conversation };
}

async function peopleSee(holdfast: Runtime, sessionId: string): Promise<MessagePage["messages"]> {
  const page = await holdfast.messages({ sessionId, after: null, limit: 100 });
  return (page?.messages ?? []).map((message) => ({ ...message, seq: null }));
}

/** The author of an imported message is marked, once. */
function asImported<Item extends { role: string; actor?: unknown }>(message: Item): Item {
  if (message.role !== "user") return message;
  const { kind, id } = actorOf(message.actor);
  return { ...message, actor: { kind, id: `imported:${id.replace(/^imported:/, "")}` } };
}

function actorOf(actor: unknown): { kind: unknown; id: string } {
  assert(typeof actor === "object" && actor !== null && "id" in actor && "kind" in actor);
  return { kind: actor.kind, id: String(actor.id) };
}

async function exported(holdfast: Runtime, sessionId: string): Promise<unknown> {
  return JSON.parse((await Array.fromAsync(holdfast.exportSession(sessionId))).join(""));
}

sqliteTest(
  "T1 a fork and an import have the conversation of their source, for the model and for people",
  async (place) => {
    const { holdfast } = place.first;
    const folder = mkdtempSync(join(tmpdir(), "holdfast-copies-"));
    const other = await createRuntime({
      agent: place.puppets.agent("other"),
      store: join(folder, "holdfast.db"),
      titles: false,
    });
    await fillSession(place);
    const seen = await peopleSee(holdfast, "main");
    assert.deepEqual(
      seen.map((message) =>
        message.role === "user"
          ? [message.promptId, message.entered, message.outcome?.status]
          : message.role,
      ),
      [
        ["a", true, "completed"],
        "assistant",
        ["withdrawn", false, "cancelled"],
        "tool",
        ["note", true, "completed"],
        "assistant",
        ["b", true, "failed"],
      ],
    );
    const document = await exported(holdfast, "main");
    const fork = await holdfast.forkSession({ sessionId: "main", newSessionId: "fork" });
    const again = await holdfast.forkSession({ sessionId: "main", newSessionId: "fork" });
    const copy = await other.importSession({ document: piecesOf(document), sessionId: "copy" });
    assert.deepEqual(
      [fork.title, fork.directory, fork.queue, fork.active, again, copy.title, copy.directory],
      ["Mend the test (fork)", "/project", [], null, fork, "Mend the test", "/project"],
    );
    assert.deepEqual(await peopleSee(holdfast, "fork"), seen);
    assert.deepEqual(await peopleSee(other, "copy"), seen.map(asImported));
    const [source, forked, imported] = await Promise.all([
      modelSees(place, { holdfast, sessionId: "main" }),
      modelSees(place, { holdfast, sessionId: "fork" }),
      modelSees(place, { holdfast: other, sessionId: "copy" }),
    ]);
    const expected = source.conversation.map(asCopied);
    assert.deepEqual(forked.conversation, expected);
    assert.deepEqual(imported.conversation, expected.map(asImported));
    const [user] = imported.conversation;
    const file = user?.role === "user" ? user.attachments[0] : undefined;
    const content = await imported.run.context.attachment(file?.hash ?? "");
    assert.deepEqual(new Uint8Array(content ?? []), picture.content, "files come along");
    for (const { run } of [source, forked, imported]) await run.finish();

    // A copy of a copy, which has had a run since.
    await other.wait({ sessionId: "copy", promptId: "look-copy" });
    const second = await exported(other, "copy");
    const twice = await holdfast.importSession({ document: piecesOf(second), sessionId: "twice" });
    assert.equal(twice.title, "Mend the test");
    const copied = await peopleSee(other, "copy");
    assert.deepEqual(await peopleSee(holdfast, "twice"), copied.map(asImported));
    await other.close();
    rmSync(folder, { recursive: true });
  },
);

/** Answers of a copy are marked, so that a hosted agent does not continue the original's session (H3). */
function asCopied(message: Message): Message {
  return message.role === "assistant" ? { ...message, copied: true } : message;
}

sqliteTest(
  "T1 a fork during a run closes open calls, and leaves out calls that had not started",
  async (place) => {
    const { holdfast } = place.first;
    const run = await place.openStep("a");
    await run.answer("two things", [call("one"), call("two")]);
    await run.startTool("one");
    await run.endTool("one", "done");
    await run.startTool("two");
    await place.prompt("waits");
    const lane = await holdfast.forkSession({ sessionId: "main", newSessionId: "late" });
    assert.deepEqual([lane.queue, lane.active], [[], null]);
    const events = await holdfast.store.events("main", { after: 0, limit: 100 });
    const answered = events.find((event) => event.type === "step.answered")?.seq ?? 0;
    await holdfast.forkSession({ sessionId: "main", at: answered, newSessionId: "early" });
    await holdfast.forkSession({ sessionId: "main", at: 2, newSessionId: "before" });
    const shown = async (sessionId: string): Promise<unknown[]> => {
      const { run: looking, conversation } = await modelSees(place, { holdfast, sessionId });
      await looking.finish();
      return conversation.map((message) => {
        if (message.role === "user") return message.promptId;
        return message.role === "tool" ? [message.callId, message.status] : message.text;
      });
    };
    assert.deepEqual(await shown("late"), [
      "a",
      "two things",
      ["one", "completed"],
      ["two", "interrupted"],
    ]);
    assert.deepEqual(await shown("early"), [
      "a",
      "two things",
      ["one", "interrupted"],
      ["two", "interrupted"],
    ]);
    assert.deepEqual(await shown("before"), [], "it was accepted by then, and had not started");
    await run.endTool("two");
    await run.finish();
    await (await place.puppets.next()).finish();
    assert.deepEqual(await place.outcomes(["a", "waits"]), ["completed", "completed"]);
  },
);

sqliteTest(
  "a fork can end before any prompt of the conversation, even before a copied prompt",
  async (place) => {
    const { holdfast } = place.first;
    const run = await place.openStep("a");
    await place.prompt("b");
    await run.finish();
    await (await place.puppets.next()).finish();
    const copy = async (
      newSessionId: string,
      from: { sessionId: string; before: string },
    ): Promise<string[]> => {
      await holdfast.forkSession({ newSessionId, ...from });
      const messages = await peopleSee(holdfast, newSessionId);
      return messages.map((message) => (message.role === "user" ? message.promptId : message.role));
    };
    // The prompt b was accepted before the answer to a, and is shown after it.
    assert.deepEqual(await copy("one", { sessionId: "main", before: "b" }), ["a", "assistant"]);
    assert.deepEqual(await copy("none", { sessionId: "main", before: "a" }), []);
    assert.deepEqual(await copy("two", { sessionId: "one", before: "a" }), []);
    const unknown = holdfast.forkSession({ sessionId: "one", before: "b" });
    assert.equal(await reasonOf(unknown), "unknownPrompt");
    const again = await holdfast.forkSession({
      sessionId: "main",
      newSessionId: "one",
      before: "b",
    });
    assert.equal(again.sessionId, "one");
    const other = holdfast.forkSession({ sessionId: "main", newSessionId: "one" });
    assert.equal(await reasonOf(other), "conflict");
  },
);

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const refusal = await refusalOf(work);
  return refusal.code === "invalid" ? [refusal.code, refusal.field] : refusal.code;
}

sqliteTest("a fork names a session and a place in its log that exist", async (place) => {
  const { holdfast } = place.first;
  await holdfast.createSession({ sessionId: "gone", directory: "/project" });
  await holdfast.deleteSession({ sessionId: "gone" });
  assert.deepEqual(
    [
      await reasonOf(holdfast.forkSession({ sessionId: "nobody" })),
      await reasonOf(holdfast.forkSession({ sessionId: "gone" })),
      await reasonOf(holdfast.forkSession({ sessionId: "main", at: 99 })),
      await reasonOf(holdfast.forkSession({ sessionId: "main", at: 0 })),
      await reasonOf(exported(holdfast, "nobody")),
    ],
    ["unknownSession", "deleted", ["invalid", "at"], ["invalid", "at"], "unknownSession"],
  );
});

function firstBody(document: LooseDocument): string {
  return Object.keys(document.bodies)[0] ?? "";
}

interface LooseDocument {
  format: string;
  version: number;
  events: Record<string, unknown>[];
  bodies: Record<string, unknown>;
}

sqliteTest("P2 T2 a broken document is refused, and nothing is stored", async (place) => {
  const { holdfast } = place.first;
  await fillSession(place);
  const sound = JSON.stringify(await exported(holdfast, "main"));
  const broken = (change: (document: LooseDocument) => void): LooseDocument => {
    const document: LooseDocument = JSON.parse(sound);
    change(document);
    return document;
  };
  const documents: [unknown, RegExp][] = [
    [null, /^this is not an exported session/],
    ["text", /^this is not an exported session/],
    [broken((document) => (document.format = "other")), /^this is not an exported session/],
    [broken((document) => (document.version = 2)), /version 2, but this release reads version 1/],
    [broken((document) => (document.events = [])), /at events/],
    [broken((document) => document.events.splice(3, 1)), /T2: the log has a gap/],
    [
      broken((document) => (document.events = document.events.toReversed())),
      /breaks a promise|cannot be replayed/,
    ],
    [
      broken((document) => {
        const settled = document.events.filter(({ type }) => type === "prompt.settled");
        const seq = document.events.length + 1;
        document.events.push({ ...settled.at(-1), seq });
      }),
      /P2: a prompt has two outcomes/,
    ],
    [broken((document) => (document.events[2] = { type: "x" })), /^event 3 at/],
    [
      broken((document) => (document.events[2] = { ...document.events[2], type: "no.such" })),
      /^event 3 at type/,
    ],
    [
      broken((document) => {
        const settled = document.events.findIndex(({ type }) => type === "prompt.settled");
        document.events[settled] = { ...document.events[settled], outcome: undefined };
      }),
      /cannot be replayed/,
    ],
    [broken((document) => delete document.bodies[firstBody(document)]), /which is missing/],
    [
      broken((document) => (document.bodies[firstBody(document)] = { text: "other" })),
      /does not match its hash/,
    ],
    [broken((document) => (document.bodies[firstBody(document)] = 7)), /at bodies/],
    [broken((document) => (document.bodies["../x"] = { text: "" })), /at bodies/],
  ];
  for (const [document, message] of documents) {
    await assert.rejects(
      holdfast.importSession({ document: piecesOf(document), sessionId: "copy" }),
      (error) =>
        error instanceof CommandRefused &&
        error.refusal.code === "invalid" &&
        error.refusal.field === "document" &&
        message.test(error.message),
      `${String(message)} is said`,
    );
  }
  assert.equal(await holdfast.session("copy"), null);
});
