import assert from "node:assert/strict";
import { test } from "node:test";
import { createAttentions } from "../../../src/server/notifications/attention.ts";
import { firstProgress } from "../../../src/server/outbox/progress.ts";
import { pushTarget } from "../../../src/server/push/push-target.ts";
import { waitFor } from "../../support/wait-for.ts";
import {
  ask,
  emptySubscription,
  lastOf,
  messages,
  openStage,
  quietZone,
  tokenOf,
} from "./stage.ts";

const hour = 60 * 60_000;

test("a request that has waited for more than 12 hours is sent, the end of a run is not", async (context) => {
  const stage = await openStage(context);
  const { fixture } = stage;
  const { store } = fixture.runtime;
  const tokenId = tokenOf(await (await stage.person()).browser());
  const later: typeof store = Object.create(store, {
    now: { value: async () => (await store.now()) + 13 * hour },
  });
  const target = pushTarget(
    {
      store: later,
      attentions: createAttentions({ records: store, now: Date.now }),
      post: () => Promise.reject(new Error("nothing is sent here")),
      sign: () => "",
      grace: 0,
      cut: new AbortController().signal,
    },
    { ...emptySubscription, tokenId },
  );
  const planned = async (type: string): Promise<string> => {
    const seq = await lastOf(fixture, type);
    const [event] = await store.events("main", { after: seq - 1, limit: 1 });
    assert(event !== undefined);
    return (await target.plan(event, firstProgress(""))).status;
  };
  await fixture.exchange("main", "first");
  const { answer } = await ask(fixture, "main");
  assert.deepEqual([await planned("run.ended"), await planned("ask.opened")], ["skip", "send"]);
  await answer();
});

test("a request that is answered in quiet hours is cleared, although another request waits", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  await fixture.runtime.createSession({ sessionId: "other", directory: "/project" });
  const browser = await (await stage.person()).browser();
  const phone = await stage.subscribe(browser, "/phone");
  const main = await ask(fixture, "main");
  await service.until(1);
  const quietHours = { from: "00:00", to: "23:59", timeZone: quietZone() };
  await notifications.change(browser, { quietHours });
  const other = await ask(fixture, "other");
  await main.answer();
  await service.until(2);
  // The server has nothing to send before the end of the quiet hours.
  await waitFor(() => notifications.isDelivering(), {
    describe: "the end of all deliveries",
    until: (isDelivering) => !isDelivering,
  });
  await notifications.change(browser, { quietHours: null });
  await service.until(3);
  const language = "en";
  assert.deepEqual(messages(phone, service), [
    { kind: "needsYou", sessionId: "main", language },
    { kind: "clear", sessionId: "main", language },
    { kind: "needsYou", sessionId: "other", language },
  ]);
  await other.answer();
});

test("a session that is muted also mutes its child sessions", async (context) => {
  const stage = await openStage(context);
  const { fixture, notifications } = stage;
  const { runtime, puppets } = fixture;
  const browser = await (await stage.person()).browser();
  await runtime.prompt({ sessionId: "main", promptId: "starts", text: "start" });
  const puppet = await puppets.next("main");
  await puppet.boundary();
  const sessionId = "child";
  const helped = puppet.context.child({ sessionId, promptId: "job", text: "ask" });
  const child = await puppets.next(sessionId);
  await child.boundary();
  const asked = child.context.ask({ askId: "ask", question: "May I?" });
  await waitFor(() => runtime.store.ask(sessionId, "ask"), { describe: "the ask" });
  const events = await runtime.store.events(sessionId, { after: null, limit: 100 });
  const seq = events.find(({ type }) => type === "ask.opened")?.seq ?? 0;
  const quiet = async () => (await notifications.notice(browser, { sessionId, seq }))?.quiet;
  assert.equal(await quiet(), null);
  await notifications.change(browser, { mute: ["main"] });
  assert.equal(await quiet(), "muted");
  await runtime.answer({ sessionId, askId: "ask", verdict: "allow" });
  await asked;
  await child.finish();
  await helped;
  await puppet.finish();
  await runtime.wait({ sessionId: "main", promptId: "starts" });
});
