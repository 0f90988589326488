import assert from "node:assert/strict";
import { makeBody } from "../../../src/store/body.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";

export function testRoom(engine: Engine): void {
  storeTest(
    engine,
    "bodies are removed, and stored again when they are sent again",
    async (place) => {
      const { store } = place;
      const lane = await place.newLane("a");
      await lane.accept("p1", { text: "one" });
      await lane.accept("p2", { text: "two" });
      const [one, two] = await Promise.all([lane.row("p1"), lane.row("p2")]);
      const hash = one.body ?? "";
      assert.equal(
        await store.removeBodies({ hashes: [hash], since: await store.feedEnd() }),
        true,
      );
      assert.equal(await store.body(hash), null);
      assert.notEqual(await store.body(two.body ?? ""), null);
      assert.deepEqual(await lane.row("p1"), one);
      await lane.accept("p3", { text: "one" });
      assert.notEqual(await store.body(hash), null);
    },
  );

  storeTest(
    engine,
    "P1: no body is removed when a commit after the look may need it",
    async (place) => {
      const lane = await place.newLane("a");
      const peer = await place.peer();
      const since = await peer.feedEnd();
      await lane.accept("p1", { text: "one" });
      const hash = (await lane.row("p1")).body ?? "";
      assert.equal(await peer.removeBodies({ hashes: [hash], since }), false);
      // Read through another process, which has not cached the content.
      assert.notEqual(await peer.body(hash), null);
    },
  );

  storeTest(engine, "a store gives room back and keeps all the rest", async (place) => {
    const { store } = place;
    const lane = await place.newLane("a");
    const large = makeBody(new Uint8Array(1_000_000));
    await lane.accept("p1", { text: "one" });
    const before = await store.size();
    await lane.send({ type: "session.rename", title: "large", auto: false }, [large]);
    const events = await lane.events();
    await store.removeBodies({ hashes: [large.hash], since: await store.feedEnd() });
    await store.compact();
    const after = await store.size();
    assert(before.bytes > 0);
    assert(after.bytes < before.bytes + 1_000_000 || after.freeBytes === null);
    assert(after.freeBytes === null || after.freeBytes < 100_000);
    await place.reopen();
    assert.deepEqual(await place.lane("a").events(), events);
  });
}
