import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { nextMillisecond, waitFor } from "../../support/wait-for.ts";
import type { WebhookInput } from "../../../src/contract/webhook.ts";
import { isPrivateHost, publicLookup } from "../../../src/agent/tools/address.ts";
import type { Principal } from "../../../src/server/ports.ts";
import { createWebhooks } from "../../../src/server/webhooks/webhooks.ts";
import type { RunningWebhooks, WebhooksOptions } from "../../../src/server/webhooks/webhooks.ts";
import { wireEvent } from "../../../src/server/wire/event.ts";
import { away } from "../../runner/support/tampered-store.ts";
import { openStreamFixture } from "../stream/stream-fixture.ts";
import type { StreamFixture } from "../stream/stream-fixture.ts";
import { isSigned, startTarget } from "./target.ts";
import type { Target } from "./target.ts";

test("a settled prompt is delivered with its outcome and a signature", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  const { webhookId, secret } = await webhooks.create(hook(target, ["prompt.settled"]), admin);
  await fixture.exchange("main", "first");
  await target.until(1);
  const [delivery] = target.arrived;
  assert(delivery !== undefined);
  assert.ok(isSigned(delivery, secret));
  const settled = (await fixture.log("main")).find((event) => typeOf(event) === "prompt.settled");
  const { headers, body } = delivery;
  assert.deepEqual(JSON.parse(body), {
    deliveryId: headers["holdfast-delivery"],
    webhookId,
    type: "prompt.settled",
    event: JSON.parse(JSON.stringify(settled)),
  });
  const shown = await shownDeliveries(webhooks, webhookId, 1);
  assert.deepEqual(
    shown.map(({ status, tries, response, problem }) => ({ status, tries, response, problem })),
    [{ status: "delivered", tries: 1, response: 200, problem: null }],
  );
});

test("only matching events are delivered: by type, session and directories", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  await fixture.runtime.createSession({ sessionId: "other", directory: "/elsewhere" });
  const limited = { ...admin, directories: ["/project"] };
  await webhooks.create({ ...hook(target, ["ask.opened", "ask.closed"]) }, limited);
  await webhooks.create({ ...hook(target, ["prompt.settled"]), sessionId: "main" }, admin);
  for (const sessionId of ["other", "main"]) {
    await fixture.runtime.prompt({ sessionId, promptId: "asks", text: "ask" });
    const puppet = await fixture.puppets.next(sessionId);
    await puppet.boundary();
    const asked = puppet.context.ask({ askId: "ask", question: "May I?" });
    await asking(fixture, sessionId);
    await fixture.runtime.answer({ sessionId, askId: "ask", verdict: "allow" });
    await asked;
    await puppet.finish();
    await fixture.runtime.wait({ sessionId, promptId: "asks" });
  }
  await target.until(3);
  const seen = target.arrived.map(({ headers, body }) => {
    const { event }: { event: { sessionId: string } } = JSON.parse(body);
    return `${String(headers["holdfast-event"])} of ${event.sessionId}`;
  });
  assert.deepEqual(seen.toSorted(), [
    "ask.closed of main",
    "ask.opened of main",
    "prompt.settled of main",
  ]);
});

test("a webhook for notices gets the events that notify people, each with its kind", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  await webhooks.create(hook(target, ["notice"]), admin);
  await fixture.exchange("main", "first");
  await fixture.runtime.prompt({ sessionId: "main", promptId: "fails", text: "fail" });
  const puppet = await fixture.puppets.next("main");
  puppet.fail(new Error("no luck"));
  await target.until(2);
  const seen = target.arrived.map(({ headers, body }) => {
    const { type, notice, event } = JSON.parse(body);
    return [headers["holdfast-event"], type, notice, event.type];
  });
  assert.deepEqual(seen, [
    ["notice", "notice", "finished", "run.ended"],
    ["notice", "notice", "failed", "run.ended"],
  ]);
});

test("an event that a webhook names by its type keeps the type, and has its notice too", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  await webhooks.create(hook(target, ["notice", "ask.opened", "prompt.settled"]), admin);
  await fixture.runtime.prompt({ sessionId: "main", promptId: "asks", text: "ask" });
  const puppet = await fixture.puppets.next("main");
  await puppet.boundary();
  const asked = puppet.context.ask({ askId: "ask", question: "May I?" });
  await asking(fixture, "main");
  await fixture.runtime.answer({ sessionId: "main", askId: "ask", verdict: "allow" });
  await asked;
  await puppet.finish();
  await target.until(3);
  const seen = target.arrived.map(({ body }) => {
    const { type, notice, event } = JSON.parse(body);
    return [type, notice, event.type];
  });
  assert.deepEqual(seen, [
    ["ask.opened", "needsYou", "ask.opened"],
    ["prompt.settled", undefined, "prompt.settled"],
    ["notice", "finished", "run.ended"],
  ]);
});

test("a failed delivery is retried with the same id, in order, and listed", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  const { webhookId } = await webhooks.create(hook(target, ["prompt.settled"]), admin);
  // A redirect is a response like others: it is not followed.
  target.answer(500, 302, 404);
  await fixture.exchange("main", "first");
  await fixture.exchange("main", "second");
  await target.until(5);
  const ids = target.arrived.map(({ headers }) => headers["holdfast-delivery"]);
  assert.equal(new Set(ids.slice(0, 4)).size, 1);
  assert.notEqual(ids[4], ids[0]);
  const [second, first] = await shownDeliveries(webhooks, webhookId, 2);
  assert.deepEqual(
    [first, second].map((delivery) => [delivery?.status, delivery?.tries, delivery?.deliveryId]),
    [
      ["delivered", 4, ids[0]],
      ["delivered", 1, ids[4]],
    ],
  );
  assert.equal((await webhooks.get(webhookId))?.failingSince, null);
});

test("an unreachable target does not delay others, and is shown as failing", async (context) => {
  const { fixture, webhooks, target } = await openStage(context, { pause: () => 60_000 });
  const nobody = { url: "http://127.0.0.1:1/nobody", events: ["prompt.settled" as const] };
  const { webhookId } = await webhooks.create(nobody, admin);
  await webhooks.create(hook(target, ["prompt.settled"]), admin);
  for (const promptId of ["one", "two", "three"]) await fixture.exchange("main", promptId);
  await target.until(3);
  const [pending] = await shownDeliveries(webhooks, webhookId, 1);
  assert.deepEqual([pending?.status, pending?.tries, pending?.response], ["pending", 1, null]);
  assert.match(pending?.problem ?? "", /ECONNREFUSED/);
  assert.equal(typeof (await webhooks.get(webhookId))?.failingSince, "number");
});

test("an attempt whose content cannot be read is listed as failed", async (context) => {
  const { fixture, webhooks, target } = await openStage(context, {
    encode: () => Promise.reject(away()),
    pause: () => 60_000,
  });
  const { webhookId } = await webhooks.create(hook(target, ["prompt.settled"]), admin);
  await fixture.exchange("main", "first");
  const [delivery] = await shownDeliveries(webhooks, webhookId, 1);
  assert.deepEqual(
    [delivery?.status, delivery?.tries, delivery?.response, delivery?.problem],
    ["pending", 1, null, away().message],
  );
});

test("an event with damaged content is delivered without it, and reported once", async (context) => {
  const errors: unknown[] = [];
  const { fixture, webhooks, target } = await openStage(context, {
    encode: async () => JSON.parse("{"),
    onError: (error) => errors.push(error),
  });
  await webhooks.create(hook(target, ["prompt.settled"]), admin);
  target.answer(500);
  await fixture.exchange("main", "first");
  await target.until(2);
  assert.deepEqual(
    target.arrived.map(({ body }) => JSON.parse(body).event.content),
    [null, null],
  );
  assert.equal(errors.length, 1);
});

test("deliveries continue after a restart", async (context) => {
  const { fixture, webhooks, target, start } = await openStage(context);
  await webhooks.create(hook(target, ["prompt.settled"]), admin);
  await fixture.exchange("main", "first");
  await target.until(1);
  await webhooks.close();
  await fixture.exchange("main", "meanwhile");
  const again = await fixture.restart();
  start(again);
  await target.until(2);
  await again.exchange("main", "afterwards");
  await target.until(3);
  assert.deepEqual(target.arrived.map(promptOf), ["first", "meanwhile", "afterwards"]);
});

test("two processes on one store deliver an event once, or twice with the same id", async (context) => {
  const { fixture, webhooks, target, start } = await openStage(context);
  await webhooks.create(hook(target, ["prompt.settled"]), admin);
  start(fixture);
  for (let count = 0; count < 20; count += 1) await fixture.exchange("main", `prompt-${count}`);
  const prompts = Array.from({ length: 20 }, (_, count) => `prompt-${count}`);
  const byId = await waitFor(
    () => new Map(target.arrived.map((one) => [one.headers["holdfast-delivery"], one])),
    { describe: "20 different events", until: ({ size }) => size === 20 },
  );
  assert.deepEqual([...byId.values()].map(promptOf), prompts);
});

test("a removed webhook gets no more deliveries; an unknown one is reported as unknown", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  const { webhookId } = await webhooks.create(hook(target, ["prompt.settled"]), admin);
  assert.equal(await webhooks.remove(webhookId), true);
  assert.equal(await webhooks.remove(webhookId), false);
  const { webhookId: kept } = await webhooks.create(hook(target, ["prompt.settled"]), admin);
  await fixture.exchange("main", "first");
  await target.until(1);
  assert.deepEqual(
    target.arrived.map(({ body }) => JSON.parse(body).webhookId),
    [kept],
  );
  assert.equal(await webhooks.get(webhookId), null);
  assert.equal(await webhooks.deliveries(webhookId, everything), null);
  assert.equal(await webhooks.test(webhookId), null);
  const { items, cursor } = await webhooks.list(everything);
  assert.deepEqual([items.map((item) => item.webhookId), cursor], [[kept], null]);
  assert.doesNotMatch(JSON.stringify(items), /hfw_/);
});

test("private targets are refused unless allowed, even behind a host name", async (context) => {
  const { webhooks } = await openStage(context, { allowPrivate: false });
  for (const host of ["127.0.0.1", "[::1]", "10.0.0.7", "169.254.169.254", "0.0.0.0"]) {
    const input = { url: `http://${host}/`, events: ["prompt.settled" as const] };
    await assert.rejects(webhooks.create(input, admin), { code: "invalid" });
  }
  const credentials = { url: "https://me:secret@example.com/", events: ["ask.opened" as const] };
  await assert.rejects(webhooks.create(credentials, admin), { code: "invalid" });
  const named = { url: "http://localhost:1/", events: ["prompt.settled" as const] };
  const { webhookId } = await webhooks.create(named, admin);
  const tried = await webhooks.test(webhookId);
  assert.deepEqual([tried?.status, tried?.response], ["failed", null]);
  assert.match(tried?.problem ?? "", /private network/);
});

test("a test delivery reports its result at once, and is listed with the others", async (context) => {
  const { fixture, webhooks, target } = await openStage(context);
  const { webhookId, secret } = await webhooks.create(hook(target, ["ask.opened"]), admin);
  const tried = await webhooks.test(webhookId);
  assert.deepEqual(
    [tried?.status, tried?.response, tried?.event],
    ["delivered", 200, "webhook.test"],
  );
  assert.ok(target.arrived[0] !== undefined && isSigned(target.arrived[0], secret));
  assert.deepEqual((await webhooks.deliveries(webhookId, everything))?.items, [tried]);

  const { webhookId: other } = await webhooks.create(hook(target, ["prompt.settled"]), admin);
  await fixture.exchange("main", "first");
  const [settled] = await shownDeliveries(webhooks, other, 1);
  target.answer(500);
  await nextMillisecond();
  const failed = await webhooks.test(other);
  assert.deepEqual((await webhooks.deliveries(other, everything))?.items, [failed, settled]);
  assert.equal(failed?.status, "failed");
});

const everything = { after: null, limit: 100 };

const admin: Principal = {
  tokenId: null,
  name: "local",
  role: "admin",
  directories: null,
  actor: { kind: "client", id: "local" },
  revoked: new AbortController().signal,
};

interface Stage {
  readonly fixture: StreamFixture;
  readonly webhooks: RunningWebhooks;
  readonly target: Target;
  /** Starts the deliveries of another process. */
  readonly start: (fixture: StreamFixture) => RunningWebhooks;
}

async function openStage(
  context: TestContext,
  settings: Partial<WebhooksOptions> = {},
): Promise<Stage> {
  const started: RunningWebhooks[] = [];
  context.after(() => Promise.all(started.map((webhooks) => webhooks.close())));
  const target = await startTarget(context);
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const start = ({ runtime, follower }: StreamFixture): RunningWebhooks => {
    const webhooks = createWebhooks({
      store: runtime.store,
      follower,
      encode: (event) => wireEvent(runtime.store, event),
      addresses: { isPrivateHost, publicLookup },
      allowPrivate: true,
      pause: () => 1,
      onError: (error) => {
        throw error;
      },
      ...settings,
    });
    started.push(webhooks);
    return webhooks;
  };
  return { fixture, webhooks: start(fixture), target, start };
}

function hook(target: Target, events: WebhookInput["events"]): WebhookInput {
  return { url: target.url, events };
}

/** The listed deliveries, once there are this many: they are stored just after they were made. */
async function shownDeliveries(
  webhooks: RunningWebhooks,
  webhookId: string,
  count: number,
): Promise<NonNullable<Awaited<ReturnType<RunningWebhooks["deliveries"]>>>["items"]> {
  const page = await waitFor(() => webhooks.deliveries(webhookId, everything), {
    describe: `${count} deliveries`,
    until: (found) => (found?.items.length ?? 0) >= count,
  });
  return page?.items ?? [];
}

async function asking(fixture: StreamFixture, sessionId: string): Promise<void> {
  await waitFor(() => fixture.runtime.store.ask(sessionId, "ask"), { describe: "the ask" });
}

function promptOf({ body }: { body: string }): string {
  const { event }: { event: { promptId: string } } = JSON.parse(body);
  return event.promptId;
}

function typeOf(event: unknown): unknown {
  return typeof event === "object" && event !== null && "type" in event ? event.type : null;
}
