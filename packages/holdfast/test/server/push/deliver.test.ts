import assert from "node:assert/strict";
import { test } from "node:test";
import { createAttentions } from "../../../src/server/notifications/attention.ts";
import { firstProgress } from "../../../src/server/outbox/progress.ts";
import type { OutboxTarget } from "../../../src/server/outbox/target.ts";
import { pushTarget } from "../../../src/server/push/push-target.ts";
import { revokeToken } from "../../../src/server/security/token-record.ts";
import { waitFor } from "../../support/wait-for.ts";
import { createDevice } from "./device.ts";
import {
  ask,
  emptySubscription,
  lastOf,
  messages,
  openStage,
  quietZone,
  tokenOf,
} from "./stage.ts";
import type { Stage } from "./stage.ts";

test("an ask reaches the phone, and its answer clears the phone and the tablet", async (context) => {
  const stage = await openStage(context);
  const { fixture, service } = stage;
  const owner = await stage.person();
  const phone = await stage.subscribe(await owner.browser(), "/phone");
  const tablet = await stage.subscribe(await owner.browser(), "/tablet");
  const { answer } = await ask(fixture, "main");
  await service.until(2);
  const asked = { kind: "needsYou", sessionId: "main", language: "en" };
  assert.deepEqual(messages(phone, service), [asked]);
  assert.deepEqual(messages(tablet, service), [asked]);
  await answer();
  await service.until(6);
  const rest = ["clear", "finished"].map((kind) => ({ ...asked, kind }));
  assert.deepEqual(messages(phone, service), [asked, ...rest]);
  assert.deepEqual(messages(tablet, service), [asked, ...rest]);
});

test("a push message contains no readable text, and states its lifetime and its urgency", async (context) => {
  const stage = await openStage(context);
  const { fixture, service } = stage;
  const owner = await stage.person();
  await stage.subscribe(await owner.browser(), "/phone");
  const { answer } = await ask(fixture, "main");
  await service.until(1);
  await answer();
  await service.until(3);
  const [asked, cleared, finished] = service.arrived;
  assert(asked !== undefined && cleared !== undefined && finished !== undefined);
  for (const { headers, body } of service.arrived) {
    const all = `${JSON.stringify(headers)}${body.toString("latin1")}`;
    for (const secret of ["main", "May I", "/project", "needsYou", "finished", "answer"]) {
      assert.ok(!all.includes(secret), `a push message contains ${secret}`);
    }
    assert.equal(headers["content-encoding"], "aes128gcm");
    assert.equal(headers["ttl"], "43200");
    assert.match(headers["authorization"] ?? "", /^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=[\w-]{87}$/);
    assert.equal(headers["topic"], asked.headers["topic"]);
    assert.equal(body.length, asked.body.length);
  }
  assert.equal(asked.headers["urgency"], "high");
  assert.equal(finished.headers["urgency"], "normal");
});

test("events that a person has seen on one device do not notify the person's other devices, and their notifications are cleared there", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  const owner = await stage.person();
  const laptop = await owner.browser();
  const phone = await stage.subscribe(await owner.browser(), "/phone");
  await fixture.exchange("main", "first");
  await service.until(1);
  const seq = (await fixture.runtime.store.lane("main"))?.seq ?? 0;
  // A client may mark events as seen that do not exist yet. People must still be notified of these events later.
  await notifications.markSeen(laptop, { sessionId: "main", seq: seq + 1_000 });
  await service.until(2);
  await notifications.markSeen(laptop, { sessionId: "main", seq: 1 });
  await fixture.exchange("main", "second");
  await service.until(3);
  assert.deepEqual(
    messages(phone, service).map(({ kind }) => kind),
    ["finished", "clear", "finished"],
  );
  const stranger = await stage.person();
  const event = await lastOf(fixture, "run.ended");
  const about = { sessionId: "main", seq: event };
  assert.deepEqual(await notifications.notice(laptop, about), { kind: "finished", quiet: null });
  await notifications.markSeen(laptop, { sessionId: "main", seq: event });
  assert.deepEqual(await notifications.notice(laptop, about), { kind: "finished", quiet: "seen" });
  const other = await stranger.browser();
  assert.deepEqual(await notifications.notice(other, about), { kind: "finished", quiet: null });
});

test("muted sessions and quiet hours cause no messages, except for a request that still waits afterwards", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  const browser = await (await stage.person()).browser();
  const { store } = fixture.runtime;
  const target = silentTarget(stage, tokenOf(browser));
  const planned = async (type: string): Promise<string> => {
    const seq = await lastOf(fixture, type);
    const [event] = await store.events("main", { after: seq - 1, limit: 1 });
    assert(event !== undefined);
    return (await target.plan(event, firstProgress(""))).status;
  };
  await fixture.exchange("main", "first");
  const always = { from: "00:00", to: "23:59", timeZone: quietZone() };
  await notifications.change(browser, { mute: ["main"] });
  assert.equal(await planned("run.ended"), "skip");
  await notifications.change(browser, { unmute: ["main"] });
  assert.equal(await planned("run.ended"), "send");
  assert.deepEqual(await notifications.change(browser, { quietHours: always }), {
    quietHours: always,
    muted: [],
  });
  assert.equal(await planned("run.ended"), "skip");
  const { answer } = await ask(fixture, "main");
  assert.equal(await planned("ask.opened"), "wait");
  const asked = { sessionId: "main", seq: await lastOf(fixture, "ask.opened") };
  const night = { kind: "needsYou", quiet: "quietHours" };
  assert.deepEqual(await notifications.notice(browser, asked), night);
  const phone = await stage.subscribe(browser, "/phone");
  await notifications.change(browser, { quietHours: null });
  assert.equal(await planned("ask.opened"), "send");
  await answer();
  assert.equal(await planned("ask.opened"), "skip");
  assert.deepEqual(await notifications.notice(browser, asked), { kind: "needsYou", quiet: "over" });
  await service.until(1);
  assert.deepEqual(
    messages(phone, service).map(({ kind }) => kind),
    ["finished"],
  );
});

test("a request that waits for the end of quiet hours is sent then", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  const browser = await (await stage.person()).browser();
  const phone = await stage.subscribe(browser, "/phone");
  const always = { from: "00:00", to: "23:59", timeZone: quietZone() };
  await notifications.change(browser, { quietHours: always });
  const { answer } = await ask(fixture, "main");
  await notifications.change(browser, { quietHours: null });
  await service.until(1);
  assert.deepEqual(
    messages(phone, service).map(({ kind }) => kind),
    ["needsYou"],
  );
  await answer();
});

test("a service that answers 410 or 404 removes the device; other failures are retried", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, push } = stage;
  const browser = await (await stage.person()).browser();
  const phone = await stage.subscribe(browser, "/phone");
  // The redirect (302) is not followed, but retried like other failures.
  service.answer(500, 302, 429, 201, 410);
  await fixture.exchange("main", "first");
  await service.until(4);
  assert.deepEqual(new Set(service.arrived.map(({ path }) => path)), new Set(["/phone"]));
  await fixture.exchange("main", "second");
  await waitFor(() => push.list(tokenOf(browser)), {
    describe: "the removal of the device",
    until: ({ items }) => items.length === 0,
  });
  await fixture.exchange("main", "third");
  assert.equal(messages(phone, service).length, 5);
});

test("a push service that never answers delays no other device", async (context) => {
  const stage = await openStage(context);
  const { fixture, service } = stage;
  const browser = await (await stage.person()).browser();
  const silent = await stage.subscribe(browser, "/silent");
  service.answer(null);
  await fixture.exchange("main", "first");
  await service.until(1);
  assert.equal(messages(silent, service).length, 1);
  const phone = await stage.subscribe(browser, "/phone");
  await fixture.exchange("main", "second");
  await service.until(2);
  assert.deepEqual(
    messages(phone, service).map(({ kind }) => kind),
    ["finished"],
  );
});

test("a store with the maximum number of devices accepts no further device", async (context) => {
  const { fixture, push, person } = await openStage(context);
  const { store } = fixture.runtime;
  const value = { tokenId: "gone", endpoint: "https://push.example.net/", p256dh: "", auth: "" };
  const rest = { language: "en", name: null, createdAt: 1 };
  await Promise.all(
    Array.from({ length: 500 }, (_, index) => {
      const id = `push-${index}`;
      const record = { ...value, ...rest, subscriptionId: id };
      return store.putRecord({ kind: "pushSubscription", id, value: record, version: null });
    }),
  );
  const browser = await (await person()).browser();
  const input = { endpoint: "https://push.example.net/new", keys: createDevice().keys };
  await assert.rejects(push.add(input, tokenOf(browser)), { code: "invalid" });
});

test("revoking a token removes the push subscriptions of the token and of its browsers", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  const { store } = fixture.runtime;
  const owner = await stage.person();
  await stage.subscribe(await owner.browser(), "/phone");
  const other = await (await stage.person()).browser();
  await stage.subscribe(other, "/other");
  await revokeToken(store, { tokenId: owner.tokenId, at: Date.now() });
  await fixture.exchange("main", "first");
  await service.until(1);
  assert.deepEqual(
    service.arrived.map(({ path }) => path),
    ["/other"],
  );
  await notifications.sweep();
  const left = await store.records("pushSubscription", { after: null, limit: 10 });
  assert.equal(left.length, 1);
  assert.equal((await store.records("pushProgress", { after: null, limit: 10 })).length, 1);
});

test("the next event removes the device of an expired token, even if no other node has noticed the end", async (context) => {
  const stage = await openStage(context);
  const { fixture, service } = stage;
  const { store } = fixture.runtime;
  const owner = await stage.person();
  await stage.subscribe(await owner.browser(), "/phone");
  await stage.subscribe(await (await stage.person()).browser(), "/other");
  const token = await store.record("token", owner.tokenId);
  assert(token !== null && typeof token.value === "object");
  const value = { ...token.value, expiresAt: 1 };
  await store.putRecord({ kind: "token", id: owner.tokenId, value, version: token.version });
  await fixture.exchange("main", "first");
  await service.until(1);
  await waitFor(() => store.records("pushSubscription", { after: null, limit: 10 }), {
    describe: "the removal of the device",
    until: (left) => left.length === 1,
  });
  assert.equal((await store.records("pushProgress", { after: null, limit: 10 })).length, 1);
});

test("a device remembers the latest 100 notifications that it shows", async (context) => {
  const stage = await openStage(context);
  const { fixture } = stage;
  const { store } = fixture.runtime;
  const tokenId = tokenOf(await (await stage.person()).browser());
  const target = silentTarget(stage, tokenId);
  await fixture.exchange("main", "first");
  const seq = await lastOf(fixture, "run.ended");
  const [event] = await store.events("main", { after: seq - 1, limit: 1 });
  assert(event !== undefined);
  const shown = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`session-${at}`, 1]));
  const plan = await target.plan(event, { ...firstProgress(""), shown });
  assert(plan.status === "send" && plan.shown !== undefined);
  assert.equal(Object.keys(plan.shown).length, 100);
  assert.deepEqual([plan.shown["session-0"], plan.shown["main"]], [undefined, seq]);
});

test("a device of a token with a directory limit gets no messages about other directories", async (context) => {
  const stage = await openStage(context);
  const { fixture, service } = stage;
  await fixture.runtime.createSession({ sessionId: "other", directory: "/elsewhere" });
  const limited = await stage.person(["/elsewhere"]);
  const phone = await stage.subscribe(await limited.browser(), "/phone");
  await fixture.exchange("main", "first");
  await fixture.exchange("other", "second");
  await service.until(1);
  assert.deepEqual(
    messages(phone, service).map(({ sessionId }) => sessionId),
    ["other"],
  );
});

test("subscriptions are limited per person, private addresses and bad keys are refused", async (context) => {
  const stage = await openStage(context, { allowPrivate: false });
  const { push } = stage;
  const browser = await (await stage.person()).browser();
  const { keys } = createDevice();
  const add = (endpoint: string, given = keys) =>
    push.add({ endpoint, keys: given }, tokenOf(browser));
  const mapped = ["[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "0x7f.1"];
  for (const host of ["127.0.0.1", "[::1]", "10.0.0.7", "169.254.169.254", ...mapped]) {
    await assert.rejects(add(`https://${host}/`), { code: "invalid" });
  }
  await assert.rejects(add("http://push.example.net/"), { code: "invalid" });
  const offCurve = { ...keys, p256dh: Buffer.alloc(65, 4).toString("base64url") };
  await assert.rejects(add("https://push.example.net/", offCurve), { code: "invalid" });
  const named = await add("https://localhost:1/");
  const tried = await push.test(named.subscriptionId, tokenOf(browser));
  assert.match(tried.problem ?? "", /private network/);
  for (let count = 1; count < 20; count += 1) await add(`https://push.example.net/${count}`);
  await assert.rejects(add("https://push.example.net/more"), { code: "invalid" });
  // A device that is added again counts once. Its expiration time, here in the past, is ignored.
  const again = { endpoint: "https://push.example.net/1", keys, expirationTime: 1 };
  await push.add(again, tokenOf(browser));
  assert.equal((await push.list(tokenOf(browser))).items.length, 20);
});

test("a device that signs in again moves to the new browser session; a stranger cannot take it over", async (context) => {
  const stage = await openStage(context);
  const { push, service } = stage;
  const owner = await stage.person();
  const [before, after] = [await owner.browser(), await owner.browser()];
  const device = createDevice();
  const endpoint = `${service.origin}/phone`;
  await push.add({ endpoint, keys: device.keys }, tokenOf(before));
  const moved = await push.add({ endpoint, keys: device.keys }, tokenOf(after));
  assert.deepEqual((await push.list(tokenOf(before))).items, [moved]);
  const stranger = await (await stage.person()).browser();
  await push.add({ endpoint, keys: createDevice().keys }, tokenOf(stranger));
  assert.deepEqual((await push.list(tokenOf(before))).items, [moved]);
  const { subscriptionId } = moved;
  const own = tokenOf(stranger);
  await assert.rejects(push.remove(subscriptionId, own), { code: "unknownSubscription" });
  await assert.rejects(push.test(subscriptionId, own), { code: "unknownSubscription" });
});

/** A device to which nothing is sent: only its plans are of interest. */
function silentTarget({ fixture }: Stage, tokenId: string): OutboxTarget {
  const { store } = fixture.runtime;
  return pushTarget(
    {
      store,
      attentions: createAttentions({ records: store, now: Date.now }),
      post: () => Promise.reject(new Error("nothing is sent here")),
      sign: () => "",
      grace: 0,
      cut: new AbortController().signal,
    },
    { ...emptySubscription, tokenId },
  );
}
