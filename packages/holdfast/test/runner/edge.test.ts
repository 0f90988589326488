import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import type { AttachmentInput } from "../../src/runner/prompt.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import { createPuppets } from "./support/puppets.ts";
import { refusalOf } from "./support/refusal.ts";
import { piecesOf } from "./support/pieces.ts";

// The runtime's interface: followers, draining, and keys in submitted texts.

const sessionId = "main";

async function exported(holdfast: Runtime, id: string): Promise<string> {
  return (await Array.fromAsync(holdfast.exportSession(id))).join("");
}

sqliteTest(
  "T2 the feed has every session's events, reports when it has caught up, and continues",
  async (place) => {
    const { holdfast } = place.first;
    await holdfast.createSession({ sessionId: "second", directory: "/project" });
    const closing = new AbortController();
    const seen: LaneEvent[] = [];
    let caughtUpAfter = -1;
    const reading = (async () => {
      for await (const page of holdfast.feed({ after: null, signal: closing.signal })) {
        assert.equal(page.status, "events");
        if (page.status !== "events") return;
        seen.push(...page.events);
        if (!page.more && caughtUpAfter === -1) {
          caughtUpAfter = seen.length;
          await (await place.openRun("a")).finish();
        }
        if (seen.some(({ type }) => type === "run.ended")) closing.abort();
      }
    })();
    await reading;
    assert.equal(caughtUpAfter, 2);
    assert.deepEqual(
      seen.map((event) => [event.sessionId, event.type]),
      [
        ["main", "session.created"],
        ["second", "session.created"],
        ...(await place.types()).slice(1).map((type) => ["main", type]),
      ],
    );
    const empty = holdfast.feed({ after: null, signal: AbortSignal.abort() });
    assert.deepEqual(await Array.fromAsync(empty), []);
  },
);

sqliteTest("P4 a caller that stops waiting or following leaves no listener", async (place) => {
  const { holdfast } = place.first;
  const run = await place.openRun("a");
  const closing = new AbortController();
  const { signal } = closing;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  const first = Promise.withResolvers<void>();
  const followed = (async () => {
    for await (const { seq } of holdfast.events({ sessionId, signal }))
      if (seq > 0) first.resolve();
  })();
  const feeding = Array.fromAsync(holdfast.feed({ after: null, signal }));
  const waiting = holdfast.wait({ sessionId, promptId: "a", signal });
  const working = holdfast.waitWork({ sessionId, workId: "none", signal });
  await first.promise;
  assert.equal(await working, null);
  assert.ok(listeners >= 3);
  closing.abort();
  const [row] = await Promise.all([waiting, followed, feeding]);
  assert.deepEqual([row?.status, listeners], ["running", 0]);
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest(
  "M9 P3 a draining runtime refuses new prompts, recognizes old ones, and still answers and cancels",
  async (place) => {
    const { holdfast } = place.first;
    await holdfast.ready;
    const run = await place.openStep("a");
    const asked = run.context.ask({ askId: "ask1", question: "well?" });
    await place.event((event) => event.type === "ask.opened");
    const drained = holdfast.drain({ deadline: 10_000 });
    assert.equal((await refusalOf(place.prompt("new"))).code, "draining");
    await place.prompt("a");
    await holdfast.answer({ sessionId, askId: "ask1", verdict: "allow" });
    await asked;
    const { draining, running } = await holdfast.status();
    assert.deepEqual([draining, running], [true, [{ sessionId, runId: run.context.runId }]]);
    await run.finish();
    await drained;
    const row = await holdfast.wait({ sessionId, promptId: "a" });
    assert.equal(row?.outcome?.status, "completed");
    assert.deepEqual(await holdfast.status(), {
      nodeId: null,
      draining: true,
      running: [],
      waiting: 0,
      absent: [],
      caps: [],
    });
    assert.deepEqual((await holdfast.cancel({ sessionId })).covered, []);
    await holdfast.drain();
  },
);

test("a configured key is stored nowhere; P3 the hash is of the prompt as sent", async (t) => {
  const key = "sk-0123456789";
  const redact = (text: string): string => text.replaceAll(key, "[secret]");
  const place = await openSqlitePlace(t, { redact, secrets: () => [key] });
  const { holdfast } = place.first;
  await holdfast.placeHold({ sessionId, holdId: "h", reason: `no ${key}` });
  await place.prompt("a", { text: `use ${key}` });
  await place.prompt("a", { text: `use ${key}` });
  assert.equal((await refusalOf(place.prompt("a", { text: "use [secret]" }))).code, "conflict");
  await holdfast.editPrompt({ sessionId, promptId: "a", text: `no, ${key}`, revision: 1 });
  await holdfast.renameSession({ sessionId, title: `about ${key}` });
  const content = new TextEncoder().encode(`KEY=${key}`);
  const file = { name: "env", mediaType: "text/plain", content };
  const refused = [
    place.prompt("b", { attachments: [file] }),
    place.prompt(key),
    holdfast.createSession({ directory: `/${key}` }),
    holdfast.createSession({ directory: "/project", agent: key }),
    holdfast.setAgent({ sessionId, agent: key }),
    holdfast.cancel({ sessionId, cancelId: key }),
  ];
  assert.deepEqual(
    (await Promise.all(refused.map(refusalOf))).map((refusal) =>
      refusal.code === "invalid" ? refusal.field : refusal.code,
    ),
    ["attachments", "promptId", "directory", "agent", "agent", "cancelId"],
  );
  await holdfast.releaseHold({ sessionId, holdId: "h" });
  const run = await place.puppets.next();
  assert.equal(run.context.prompts[0]?.text, "no, [secret]");
  await run.boundary();
  const asked = run.context.ask({ askId: "ask1", question: "well?" });
  await place.event((event) => event.type === "ask.opened");
  await holdfast.answer({ sessionId, askId: "ask1", verdict: "deny", text: key });
  assert.deepEqual(await asked, { verdict: "deny", text: "[secret]", remember: null });
  await run.finish();
  await place.outcome("a");
  assert.equal((await exported(holdfast, sessionId)).includes(key), false);

  const careless = (await place.open({ redact: (text) => text })).holdfast;
  await careless.createSession({ sessionId: "leaky", directory: "/project" });
  await careless.prompt({ sessionId: "leaky", text: `it is ${key}`, reply: false });
  const document: unknown = JSON.parse(await exported(careless, "leaky"));
  await holdfast.importSession({ document: piecesOf(document), sessionId: "copy" });
  const copy = await holdfast.messages({ sessionId: "copy", after: null, limit: 5 });
  const [message] = copy?.messages ?? [];
  assert.equal(message?.role === "user" ? message.text : "", "it is [secret]");
  assert.equal((await exported(holdfast, "copy")).includes(key), false);
});

function file(name: string): AttachmentInput {
  const content = new TextEncoder().encode(`content of ${name}`);
  return { name, mediaType: "text/plain", content };
}

sqliteTest("C6 an edit keeps a prompt's files unless it names others", async (place) => {
  const { holdfast } = place.first;
  await holdfast.placeHold({ sessionId, holdId: "h", reason: "wait" });
  await place.prompt("a", { attachments: [file("one")] });
  await place.prompt("b", { attachments: [file("one")] });
  const other = place.prompt("a", { attachments: [file("two")] });
  assert.equal((await refusalOf(other)).code, "conflict", "P3: files are content too");
  await holdfast.editPrompt({ sessionId, promptId: "a", text: "new words", revision: 1 });
  const attachments = [file("two")];
  await holdfast.editPrompt({ sessionId, promptId: "b", text: "b", revision: 1, attachments });
  const stale = holdfast.editPrompt({ sessionId, promptId: "a", text: "late", revision: 1 });
  assert.equal((await refusalOf(stale)).code, "staleRevision");
  await holdfast.movePrompt({ sessionId, promptId: "b", before: "a" });
  await holdfast.releaseHold({ sessionId, holdId: "h" });
  const seen: unknown[] = [];
  while (seen.length < 2) {
    const run = await place.puppets.next();
    const [prompt] = run.context.prompts;
    const [attached] = prompt?.attachments ?? [];
    const content = await run.context.attachment(attached?.hash ?? "");
    seen.push([
      prompt?.promptId,
      prompt?.text,
      attached?.name,
      Buffer.from(content ?? []).toString(),
    ]);
    await run.finish();
  }
  assert.deepEqual(seen, [
    ["b", "b", "two", "content of two"],
    ["a", "new words", "one", "content of one"],
  ]);
  await place.outcomes(["a", "b"]);
});

test("settings with which no run could start are refused at once", async () => {
  const agent = createPuppets().agent("none");
  for (const bad of [{ maxSteps: 1_000_000 }, { stopGrace: -1 }, { maxSteps: 0 }]) {
    const [name = ""] = Object.keys(bad);
    await assert.rejects(
      createRuntime({ agent, store: "/nowhere/holdfast.db", ...bad }),
      (error) => error instanceof RangeError && error.message.startsWith(name),
    );
  }
});
