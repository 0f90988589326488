import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { createDevice } from "./device.ts";
import { ask, messages, openStage, tokenOf } from "./stage.ts";

test("parallel requests add no more devices than the limit of a person", async (context) => {
  const { push, person } = await openStage(context);
  const tokenId = tokenOf(await (await person()).browser());
  const add = (name: string) =>
    push.add({ endpoint: `https://push.example.net/${name}`, keys: createDevice().keys }, tokenId);
  for (let count = 0; count < 10; count += 1) await add(`first-${count}`);
  const added = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => add(`more-${index}`)),
  );
  assert.equal(added.filter(({ status }) => status === "fulfilled").length, 10);
  assert.equal((await push.list(tokenId)).items.length, 20);
});

test("a device that is added again gets its next message in the new language and with the new keys", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, push } = stage;
  const browser = await (await stage.person()).browser();
  await stage.subscribe(browser, "/phone");
  await fixture.exchange("main", "first");
  await service.until(1);
  const device = createDevice();
  const endpoint = `${service.origin}/phone`;
  await push.add({ endpoint, keys: device.keys, language: "zh" }, tokenOf(browser));
  await fixture.exchange("main", "second");
  await service.until(2);
  const { kind, language } = JSON.parse(device.decrypt(service.arrived[1]?.body ?? Buffer.of()));
  assert.deepEqual([kind, language], ["finished", "zh"]);
});

test("a device that was removed cannot renew its subscription, but can be added", async (context) => {
  const stage = await openStage(context);
  const { push } = stage;
  const tokenId = tokenOf(await (await stage.person()).browser());
  const input = { endpoint: "https://push.example.net/phone", keys: createDevice().keys };
  const { subscriptionId: renews } = await push.add(input, tokenId);
  assert.equal((await push.add({ ...input, renews }, tokenId)).subscriptionId, renews);
  await push.remove(renews, tokenId);
  await assert.rejects(push.add({ ...input, renews }, tokenId), { code: "unknownSubscription" });
  assert.equal((await push.add(input, tokenId)).subscriptionId, renews);
});

test("a device with a new address at its push service replaces its old subscription, even at the limit", async (context) => {
  const stage = await openStage(context);
  const { push } = stage;
  const tokenId = tokenOf(await (await stage.person()).browser());
  const add = (name: string, renews?: string) =>
    push.add(
      {
        endpoint: `https://push.example.net/${name}`,
        keys: createDevice().keys,
        ...(renews === undefined ? {} : { renews }),
      },
      tokenId,
    );
  const old = await add("old");
  for (let count = 1; count < 20; count += 1) await add(`${count}`);
  const renewed = await add("new", old.subscriptionId);
  const ids = (await push.list(tokenId)).items.map(({ subscriptionId }) => subscriptionId);
  assert.equal(ids.length, 20);
  assert.ok(ids.includes(renewed.subscriptionId) && !ids.includes(old.subscriptionId));
  // The service had already answered 410 to the old address, so the server has forgotten it.
  await push.remove(renewed.subscriptionId, tokenId);
  await add("newest", renewed.subscriptionId);
  assert.equal((await push.list(tokenId)).items.length, 20);
});

test("the device on which a person sees a notification gets no message that clears it; another device does", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  const owner = await stage.person();
  const [first, second] = [await owner.browser(), await owner.browser()];
  const phone = await stage.subscribe(first, "/phone");
  const tablet = await stage.subscribe(second, "/tablet");
  const { answer } = await ask(fixture, "main");
  await service.until(2);
  await waitFor(() => notifications.isDelivering(), {
    describe: "the end of both deliveries",
    until: (isDelivering) => !isDelivering,
  });
  const seq = (await fixture.runtime.store.lane("main"))?.seq ?? 0;
  await notifications.markSeen(first, { sessionId: "main", seq });
  await service.until(3);
  await answer();
  await service.until(5);
  const kinds = (device: typeof phone): string[] =>
    messages(device, service).map(({ kind }) => kind);
  assert.deepEqual(kinds(phone), ["needsYou", "finished"]);
  assert.deepEqual(kinds(tablet), ["needsYou", "clear", "finished"]);
});

test("a message that a push service has not answered counts as a delivery in progress", async (context) => {
  const stage = await openStage(context);
  const { fixture, service, notifications } = stage;
  const browser = await (await stage.person()).browser();
  assert.equal(notifications.isDelivering(), false);
  await stage.subscribe(browser, "/phone");
  service.answer(null);
  await fixture.exchange("main", "first");
  await service.until(1);
  assert.equal(notifications.isDelivering(), true);
});
