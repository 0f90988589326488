import assert from "node:assert/strict";
import { activityViews } from "../../../src/runtime/views/activity.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";

const minute = 60_000;

export function testActivity(engine: Engine): void {
  storeTest(engine, "activity that was read in advance is not read again", async (place) => {
    const lane = await place.newLane("main");
    await lane.accept("early");
    let starts = 0;
    let events = 0;
    const { store } = place;
    const counting: typeof store = {
      ...store,
      feedAt: (time) => {
        starts += 1;
        return store.feedAt(time);
      },
      feed: async (query) => {
        const page = await store.feed(query);
        if (page.status !== "reset") events += page.events.length;
        return page;
      },
    };
    const views = activityViews(counting);
    await views.readActivity(10_000);
    const before = events;
    assert.ok(before > 0);
    await lane.accept("later");
    const { slices } = await views.activity({
      reach: 1_440 * minute,
      slices: 1,
      directories: null,
    });
    assert.equal(slices[0]?.waiting, 2);
    assert.deepEqual([starts, events - before], [1, 1]);
  });

  storeTest(
    engine,
    "activity counts waits, runs and outcomes by slice, also from before the range",
    async (place) => {
      const lane = await place.newLane("main");
      await place.store.join({ nodeId: "node", ttl: 86_400_000 });
      await lane.accept("early");
      await lane.accept("waits");
      await lane.accept("never");
      await lane.start("run", { owner: "node" });
      await place.advance(30 * minute);
      const views = activityViews(place.store);
      const query = { reach: 10 * minute, slices: 10, directories: null };
      const before = await views.activity(query);
      assert.equal(before.isComplete, true);
      assert.deepEqual(
        before.slices.map(({ waiting, running }) => [waiting, running]),
        Array.from({ length: 10 }, () => [2, 1]),
      );
      await lane.end({ status: "completed" });
      const ended = await activityViews(place.store).activity(query);
      assert.deepEqual(
        ended.slices.slice(0, -1).map(({ waiting, running }) => [waiting, running]),
        Array.from({ length: 9 }, () => [2, 1]),
        "a run that started before the range and ended in it",
      );
      await lane.cancel("c1", { kind: "prompt", promptId: "never" });
      await lane.start("second", { owner: "node" });
      const after = await views.activity(query);
      assert.deepEqual(after.settled, { completed: 1, failed: 0, cancelled: 1 });
      assert.deepEqual(after.inQueue, { median: 30 * minute, high: 30 * minute });
      assert.equal(after.slices.at(-1)?.settled.completed, 1);
      await place.advance(20 * minute);
      const later = await views.activity(query);
      assert.deepEqual(later.settled, { completed: 0, failed: 0, cancelled: 0 });
      assert.deepEqual([later.slices[5]?.waiting, later.slices[5]?.running], [0, 1]);
      const wide = await views.activity({ ...query, reach: 60 * minute });
      assert.deepEqual(wide.settled, { completed: 1, failed: 0, cancelled: 1 });
      const fresh = await activityViews(place.store).activity({ ...query, reach: 60 * minute });
      assert.deepEqual(fresh, wide);
    },
  );

  storeTest(
    engine,
    "activity lists failures and shows a limited caller only its directories",
    async (place) => {
      await place.store.join({ nodeId: "node", ttl: 86_400_000 });
      for (const [sessionId, directory] of [
        ["mine", "/own/below"],
        ["other", "/own-not"],
      ] as const) {
        const lane = place.lane(sessionId);
        await lane.create({ directory });
        await lane.accept("p", { text: JSON.stringify({ text: `break ${sessionId}` }) });
        await lane.start(`run-${sessionId}`, { owner: "node" });
        await lane.end({ status: "failed", reason: "agentError" });
      }
      const views = activityViews(place.store);
      const query = { reach: 10 * minute, slices: 1 };
      const all = await views.activity({ ...query, directories: null });
      assert.deepEqual(
        new Set(all.failures.map(({ text, outcome }) => `${text} ${outcome.reason}`)),
        new Set(["break mine agentError", "break other agentError"]),
      );
      const own = await views.activity({ ...query, directories: ["/own"] });
      assert.deepEqual(
        [own.failures.map(({ text }) => text), own.settled.failed],
        [["break mine"], 1],
      );
      const none = await views.activity({ ...query, directories: [] });
      assert.deepEqual([none.failures, none.settled.failed, none.slices[0]?.running], [[], 0, 0]);
      await place.lane("mine").remove();
      assert.deepEqual((await views.activity({ ...query, directories: ["/own"] })).failures, []);
    },
  );

  storeTest(engine, "the feed continues from a time without skipping an event", async (place) => {
    const lane = await place.newLane("main");
    for (const id of ["a", "b", "c"]) {
      await place.advance(10 * minute);
      await lane.accept(id);
    }
    const now = await place.store.now();
    const idsSince = async (time: number): Promise<string[]> => {
      const page = await place.store.feed({ after: await place.store.feedAt(time), limit: 50 });
      assert.equal(page.status, "events");
      return page.status === "events"
        ? page.events.flatMap((event) => (event.type === "prompt.accepted" ? [event.promptId] : []))
        : [];
    };
    assert.deepEqual(await idsSince(now - 10 * minute), ["b", "c"]);
    assert.deepEqual(await idsSince(now + 5 * minute), []);
    assert.deepEqual(await idsSince(0), ["a", "b", "c"]);
  });
}
