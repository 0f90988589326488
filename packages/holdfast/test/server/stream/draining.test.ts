import assert from "node:assert/strict";
import { test } from "node:test";
import { drainingSchema } from "../../../src/contract/stream.ts";
import { openScene } from "./scene.ts";

test("M9 readers are told that the server is stopping, and go on to be told of events until its end", async (t) => {
  const scene = await openScene(t);
  const { runtime, streams } = scene;
  await runtime.createSession({ sessionId: "s", directory: "/code" });
  const readers = [await scene.read({ sessionId: "s" }), await scene.read()];
  for (const reader of readers) await reader.until("live");
  streams.tellDraining(1_000);
  const late = await scene.read({ sessionId: "s" });
  const past = await scene.read({ sessionId: "s", follow: false });
  const notice = { id: null, event: "draining", data: { until: 1_000 } };
  for (const reader of readers) assert.deepEqual(await reader.next(), notice);
  assert.deepEqual(await late.next(), notice, "who comes meanwhile is told first");
  assert.deepEqual(drainingSchema.parse(notice.data), notice.data);

  await scene.exchange("s", "p");
  await streams.drain();
  for (const reader of [...readers, late]) {
    const types = (await reader.until("closed")).map(({ event }) => event);
    assert.equal(types.includes("prompt.settled"), true);
    assert.equal(types.includes("draining"), false, "it is said once");
  }
  const whole = (await past.until("live")).map(({ event }) => event);
  assert.deepEqual(whole, ["session.created", "live"], "who follows nothing has nothing to fear");
});
