import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect, Refused } from "../src/index.ts";
import type { Holdfast, SessionItem } from "../src/index.ts";
import { startServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let server: TestServer;
let holdfast: Holdfast;

before(async () => {
  server = await startServer();
  holdfast = connect({ url: server.url, token: server.token, backoff: { first: 5, most: 50 } });
});

after(() => server.close());

async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Reads items until an event of this type arrives, and returns it. */
async function first<Type extends SessionItem["type"]>(
  items: AsyncIterable<SessionItem>,
  type: Type,
): Promise<Extract<SessionItem, { type: Type }>> {
  const isWanted = (item: SessionItem): item is Extract<SessionItem, { type: Type }> =>
    item.type === type;
  for await (const item of items) if (isWanted(item)) return item;
  throw new Error(`${type} did not come`);
}

test("a session is created, listed, renamed, archived, read, forked and deleted", async () => {
  const { directory } = server;
  const session = await holdfast.sessions.create({ directory, title: "First" });
  await (await session.prompt("say one")).settled();
  assert.equal((await session.rename("Änderung")).title, "Änderung");
  assert.equal((await session.archive()).archived, true);
  const ids = async (query: object): Promise<string[]> =>
    (await gather(holdfast.sessions.each({ limit: 1, ...query }))).map(
      ({ sessionId }) => sessionId,
    );
  assert.deepEqual(await ids({ search: "änder", archived: true }), [session.sessionId]);
  assert.equal((await session.unarchive()).archived, false);
  assert.deepEqual(await ids({ search: "änder", archived: true }), []);

  const texts = async (from: typeof session): Promise<unknown[]> =>
    (await gather(from.eachMessage({ limit: 1 }))).map(
      (message) => "text" in message && message.text,
    );
  const said = ["say one", "[demo agent] one"];
  assert.deepEqual(await texts(session), said);
  const fork = await session.fork();
  assert.deepEqual(await texts(fork), said);
  const document = (await gather(session.export())).join("");
  assert.deepEqual(await texts(await holdfast.sessions.import(document)), said);
  assert.deepEqual((await session.children()).items, []);

  await session.delete();
  await session.delete();
  assert.equal((await session.get()).status, "deleted");
  await assert.rejects(session.prompt("say two"), { name: "Refused", code: "deleted" });
});

test("a session has an agent, which a client sets, resets and sees in the log", async () => {
  const { directory } = server;
  const session = await holdfast.sessions.create({ directory, agent: "demo" });
  assert.equal((await session.get()).agent, "demo");
  assert.equal((await session.setAgent(null)).agent, null);
  assert.equal((await session.setAgent("demo")).agent, "demo");
  const events = await gather(session.events({ follow: false }));
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === "session.created" || event.type === "session.agentSet" ? [event.agent] : [],
    ),
    ["demo", null, "demo"],
  );
  for (const agent of ["", "two\nlines", "x".repeat(201), "nobody"]) {
    await assert.rejects(session.setAgent(agent), { name: "Refused", code: "invalid" });
    await assert.rejects(holdfast.sessions.create({ directory, agent }), { code: "invalid" });
  }
  assert.equal((await session.get()).agent, "demo");
});

test("prompts are edited, moved, withdrawn, cleared and cancelled, with receipts (C1, C6)", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  const holdId = await session.hold({ reason: "for the test" });
  assert.deepEqual(await session.holds(), [{ kind: "person", holdId, reason: "for the test" }]);
  const [one, two, three] = [
    await session.prompt("say one"),
    await session.prompt("say two"),
    await session.prompt("say three"),
  ];
  assert.equal((await one.edit("say uno")).text, "say uno");
  await assert.rejects(one.edit("say eins", { revision: 1 }), { code: "staleRevision" });
  await three.move(one.promptId);
  const queued = (await session.get()).queue.map((item) => item.kind === "prompt" && item.promptId);
  assert.deepEqual(
    queued,
    [three, one, two].map(({ promptId }) => promptId),
  );
  const { covered } = await two.withdraw();
  assert.deepEqual(
    covered.map(({ promptId, was }) => [promptId, was]),
    [[two.promptId, "queued"]],
  );
  assert.equal((await session.clearQueue()).covered.length, 2);
  await session.release(holdId);
  const statuses = (await gather(session.eachPrompt({ limit: 2 }))).map(
    ({ outcome }) => outcome?.reason,
  );
  assert.deepEqual(statuses, ["queueCleared", "promptCancel", "queueCleared"]);

  const running = await session.prompt("stall");
  await first(running.events(), "run.started");
  const promoted = await session.prompt("say quick");
  await promoted.promote();
  assert.equal((await running.settled()).reason, "promoted");
  assert.equal((await promoted.settled()).text, "[demo agent] quick");
  assert.deepEqual((await session.cancel({ tree: true })).covered, []);
});

test("runs and steps are listed, and a revert undoes the changes of a run", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  const { runId } = await (await session.prompt("append notes.txt it works; say bye")).settled();
  assert.ok(runId !== null);
  const [run] = await gather(session.eachRun());
  assert.deepEqual(run, await session.run(runId));
  const steps = await session.steps(runId);
  assert.deepEqual(
    steps.map(({ calls }) => calls.map(({ name, status }) => [name, status])),
    [[["append", "completed"]], []],
  );
  const { files, commands } = await session.changes({ runId });
  assert.deepEqual([files, commands], [[], []]);
  await assert.rejects(session.change("/etc/passwd", { runId, context: 1 }), {
    code: "unknownChange",
  });
  assert.deepEqual(await session.planRevert(runId), { files: [], unknown: [], background: [] });
  const work = await session.revert(runId);
  assert.deepEqual(work, await session.work(work.workId));
  assert.deepEqual([work.status, work.cause], ["ended", "done"]);
});

test("an ask is listed and answered once; a second answer gets the author of the first (R4)", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  const prompt = await session.prompt("ask Really?");
  const { askId } = await first(prompt.events(), "ask.opened");
  const [open] = await gather(holdfast.eachAsk());
  assert.deepEqual([open?.askId, open?.question], [askId, "Really?"]);
  assert.deepEqual((await session.asks({ open: true })).items, [open]);
  const answered = await session.answer(askId, { verdict: "allow", text: "yes" });
  assert.deepEqual(answered.closed?.resolution.kind, "answered");
  const late = await session.answer(askId, { verdict: "deny" }).catch((error: unknown) => error);
  assert.ok(late instanceof Refused);
  assert.ok(late.code === "askClosed");
  assert.deepEqual(late.details, { ask: answered });
  assert.deepEqual(
    (await gather(session.eachAsk())).map(({ askId }) => askId),
    [askId],
  );
  assert.equal((await prompt.settled()).status, "completed");
});

test("attachments are uploaded once and sent with prompts", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  const content = new TextEncoder().encode("zwölf");
  const uploaded = await holdfast.attachments.upload({ content, name: "a.bin" });
  assert.deepEqual(await holdfast.attachments.download(uploaded.hash), content);
  const inline = { content: "words", name: "b.txt", mediaType: "text/plain" };
  const { entry } = await session.prompt("say hi", {
    attachments: [uploaded, uploaded.hash, inline],
  });
  assert.deepEqual(
    entry.attachments.map(({ name, bytes }) => [name, bytes]),
    [
      ["a.bin", 6],
      ["a.bin", 6],
      ["b.txt", 5],
    ],
  );
});

test("a prompt may consist of an attachment only", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  const prompt = await session.prompt("", { attachments: [{ content: "words", name: "b.txt" }] });
  assert.deepEqual(
    [prompt.entry.text, prompt.entry.attachments.map(({ name }) => name)],
    ["", ["b.txt"]],
  );
  assert.equal((await prompt.settled()).status, "completed");
  await assert.rejects(session.prompt(""), /a prompt needs text or an attachment/);
});

test("one event is read whole, and the stream of all sessions continues from a cursor", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  await (await session.prompt("say hi")).settled();
  const events = (await gather(session.events({ follow: false }))).filter(
    ({ type }) => type !== "live",
  );
  const [created] = events;
  assert.deepEqual(await session.event(1), created);

  const all = await gather(holdfast.events({ follow: false, deltas: false }));
  const own = all.flatMap((item) =>
    "seq" in item && item.sessionId === session.sessionId ? [item] : [],
  );
  assert.deepEqual(
    own,
    events.map((event, index) => ({ ...event, cursor: own[index]?.cursor })),
  );
  const [begin] = own;
  const rest = await gather(
    holdfast.events({ follow: false, deltas: false, after: begin?.cursor }),
  );
  assert.deepEqual(
    rest.filter((item) => "seq" in item && item.sessionId === session.sessionId),
    own.slice(1),
  );
});

test("tokens have a role and a name, and revoking one ends its streams", async () => {
  const made = await holdfast.tokens.create({ name: "phone", role: "observe" });
  const phone = connect({ url: server.url, token: made.secret });
  assert.deepEqual([(await phone.me()).name, (await holdfast.status()).state], ["phone", "ready"]);
  await assert.rejects(phone.sessions.create({ directory: server.directory }), {
    code: "forbidden",
  });
  const stream = phone.events({ after: "now" });
  assert.equal((await stream.next()).value?.type, "live");
  await holdfast.tokens.revoke(made.tokenId);
  await assert.rejects(stream.next(), { name: "Refused", code: "unauthorized" });
  assert.ok((await holdfast.tokens.list()).length >= 1);
  assert.equal((await connect({ url: server.url }).health()).status, "ok");
  assert.ok((await holdfast.link()).url.startsWith(server.url));
});

test("webhooks are created, listed, tested and deleted", async () => {
  const input = { url: "https://example.invalid/hook", events: ["prompt.settled"] } as const;
  const { webhookId, secret } = await holdfast.webhooks.create({
    ...input,
    events: ["prompt.settled"],
  });
  assert.ok(secret.length > 10);
  assert.deepEqual(
    (await gather(holdfast.webhooks.each())).map((each) => each.webhookId),
    [webhookId],
  );
  assert.equal((await holdfast.webhooks.get(webhookId)).url, input.url);
  assert.ok(Array.isArray((await holdfast.webhooks.deliveries(webhookId)).items));
  await holdfast.webhooks.remove(webhookId);
  await assert.rejects(holdfast.webhooks.get(webhookId), { code: "unknownWebhook" });
});

test("sessions are muted, events are marked as seen, and devices are listed", async () => {
  const { notifications } = holdfast;
  const session = await holdfast.sessions.create({ directory: server.directory });
  const { sessionId } = session;
  assert.deepEqual((await notifications.change({ mute: [sessionId] })).muted, [sessionId]);
  assert.deepEqual((await notifications.settings()).quietHours, null);
  await (await session.prompt("hello")).settled();
  const { seq } = await session.get();
  await session.markSeen(seq);
  assert.deepEqual(await session.notice(1), { kind: null, quiet: null });
  await assert.rejects(session.notice(seq + 100), { code: "unknownEvent" });
  const { publicKey, items } = await notifications.devices();
  assert.match(publicKey, /^[A-Za-z0-9_-]{87}$/);
  assert.deepEqual(items, []);
  await assert.rejects(notifications.removeDevice("none"), { code: "unknownSubscription" });
  await assert.rejects(notifications.testDevice("none"), { code: "unknownSubscription" });
});

test("outcomes and streams survive a server restart (P4, T2)", async () => {
  const session = await holdfast.sessions.create({ directory: server.directory });
  const prompt = await session.prompt("steps 3; wait 300ms; say after");
  const settled = prompt.settled();
  const events = gather(prompt.events({ deltas: false }));
  await first(prompt.events(), "step.answered");
  await server.restart();
  assert.equal((await settled).text, "[demo agent] after");
  const log = await gather(session.events({ follow: false }));
  const heard = seqs(await events);
  assert.deepEqual(
    heard,
    seqs(log).filter((seq) => heard.includes(seq)),
  );
  assert.equal(new Set(heard).size, heard.length);
});

function seqs(items: SessionItem[]): number[] {
  return items.flatMap((item) => ("seq" in item && item.type !== "live" ? [item.seq] : []));
}
