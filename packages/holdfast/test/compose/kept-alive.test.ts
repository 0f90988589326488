import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Ask, Holdfast, SessionHandle } from "@holdfast/sdk";
import { stopWhenIdle } from "../../src/compose/idle-stop.ts";
import { serve } from "../../src/compose/serve.ts";
import { startTarget } from "../server/webhooks/target.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { serverSettings } from "../support/server-settings.ts";
import { waitFor } from "../support/wait-for.ts";

const minute = 60_000;

interface Background {
  readonly holdfast: Holdfast;
  readonly session: SessionHandle;
  /** Lets the time pass after which an idle server stops. Resolves with true if the server would stop now. */
  readonly stops: () => Promise<boolean>;
}

/** A server that no client uses, and its idle timer on a clock that the test moves. */
async function openBackground(t: TestContext): Promise<Background> {
  const folder = scratchFolder(t, "kept-alive");
  const data = join(folder, "data");
  const settings = { ...serverSettings(data), allowPrivateWebhooks: true };
  const serving = await serve(settings);
  const { server } = serving;
  t.after(() => server.stop());
  await server.ready;
  const clock = createHandClock();
  const unusedSince = clock.monotonic();
  let [begun, ended, stopped] = [0, 0, 0];
  const timer = stopWhenIdle({
    after: 15 * minute,
    lastUse: () => unusedSince,
    hasWork: async () => {
      begun += 1;
      const found = await serving.hasWork();
      ended += 1;
      return found;
    },
    stop: () => {
      stopped += 1;
    },
    onError: (error) => assert.fail(String(error)),
    clock,
  });
  t.after(() => timer[Symbol.asyncDispose]());
  const token = readFileSync(join(data, "token"), "utf8").trim();
  const holdfast = connect({ url: server.url, token });
  return {
    holdfast,
    session: await holdfast.sessions.create({ directory: folder }),
    stops: async () => {
      const [checks, stops] = [ended, stopped];
      const hasChecked = async (): Promise<boolean> => {
        await clock.move(minute);
        return ended > checks && ended === begun;
      };
      await waitFor(hasChecked, { describe: "a check for work" });
      return stopped > stops;
    },
  };
}

test("a queued prompt keeps the background server, but a pause without an end does not", async (t) => {
  const { session, stops } = await openBackground(t);
  await session.hold();
  const prompt = await session.prompt("say hello");
  assert.equal(await stops(), false);
  await prompt.withdraw();
  assert.equal(await stops(), true);
});

test("an open question keeps the background server until it is answered", async (t) => {
  const { session, stops } = await openBackground(t);
  const prompt = await session.prompt("ask Shall I go on?");
  const openAsk = async (): Promise<Ask | undefined> =>
    (await session.asks({ open: true })).items[0];
  const ask = await waitFor(openAsk, { describe: "the question" });
  assert.equal(await stops(), false);
  await session.answer(ask?.askId ?? "", { verdict: "allow", text: "yes" });
  await prompt.settled();
  assert.equal(await stops(), true);
});

test("a pause that ends by itself keeps the background server until it ends", async (t) => {
  const { session, stops } = await openBackground(t);
  await (await session.prompt("fail noQuota for 3600s")).settled();
  assert.equal(await stops(), false);
  const [hold] = (await session.get()).holds;
  await session.release(hold?.holdId ?? "");
  assert.equal(await stops(), true);
});

test("an undelivered webhook keeps the background server until it is removed", async (t) => {
  const { holdfast, session, stops } = await openBackground(t);
  const target = await startTarget(t);
  target.answer(...Array.from({ length: 100 }, () => 500));
  const events = ["prompt.settled" as const];
  const { webhookId } = await holdfast.webhooks.create({ url: target.url, events });
  await (await session.prompt("say hello")).settled();
  await target.until(1);
  assert.equal(await stops(), false);
  await holdfast.webhooks.remove(webhookId);
  await waitFor(stops, { describe: "the stop of the server" });
});
