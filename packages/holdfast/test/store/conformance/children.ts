import assert from "node:assert/strict";
import { storeTest } from "../engine.ts";
import type { Engine, Place } from "../engine.ts";
import { done, verdict } from "../lane-client.ts";
import type { LaneClient } from "../lane-client.ts";

export function testChildren(engine: Engine): void {
  const parent = { sessionId: "parent", runId: "run1", background: false } as const;
  const child = { sessionId: "child", promptId: "q1" } as const;

  storeTest(
    engine,
    "C7 a parent's cancel reaches its running child, and the parent ends after it",
    async (place) => {
      const { parentLane, childLane } = await family(place);
      await parentLane.link(child);
      await childLane.accept("q1", { parent });
      await childLane.start("childRun");
      await childLane.accept("q2");
      const { receipt } = done(await parentLane.cancel("c1"));
      assert.deepEqual(receipt?.children, [child]);
      assert.equal((await childLane.run()).condition.status, "stopping");
      await parentLane.end();
      assert.equal((await parentLane.run()).condition.status, "closing");
      assert.equal((await parentLane.row("p1")).status, "running");
      await childLane.end();
      assert.equal((await parentLane.row("p1")).outcome?.reason, "sessionCancel");
      assert.equal((await childLane.row("q1")).outcome?.reason, "parentCancel");
      assert.equal((await childLane.row("q2")).status, "queued");
    },
  );

  storeTest(
    engine,
    "C7 a parent's cancel settles a waiting child in one transaction",
    async (place) => {
      const { parentLane, childLane } = await family(place);
      await parentLane.link(child);
      await childLane.hold("h");
      await childLane.accept("q1", { parent });
      await parentLane.cancel("c1");
      assert.equal((await childLane.row("q1")).outcome?.reason, "parentCancel");
      assert.deepEqual((await parentLane.types()).slice(-3), [
        "cancel.committed",
        "run.stopping",
        "child.settled",
      ]);
    },
  );

  storeTest(
    engine,
    "C7 a parent's cancel refuses a child prompt that has not arrived yet",
    async (place) => {
      const { parentLane, childLane } = await family(place);
      await parentLane.link(child);
      await parentLane.cancel("c1");
      assert.equal(verdict(await childLane.accept("q1", { parent })), "tombstoned");
      await place.reopen();
      assert.equal(verdict(await place.lane("child").accept("q1", { parent })), "tombstoned");
      const row = await place.lane("child").row("q1");
      assert.deepEqual([row.status, row.contentHash], ["settled", null]);
    },
  );

  storeTest(engine, "C7 a link makes the child's session in its own transaction", async (place) => {
    const parentLane = await runningLane(place, "parent");
    const create = { contentHash: "made", directory: "/below" };
    done(await parentLane.link({ sessionId: "new", promptId: "q1" }, { create }));
    const made = await place.store.lane("new");
    assert.deepEqual(
      [made?.directory, made?.parent],
      ["/below", { sessionId: "parent", runId: "run1" }],
    );
  });

  storeTest(
    engine,
    "C7 a background result arrives with the child's end and starts a run of the parent",
    async (place) => {
      const { parentLane, childLane } = await family(place);
      await parentLane.link(child, { background: true });
      await childLane.accept("q1", { parent: { ...parent, background: true } });
      await parentLane.boundary();
      await parentLane.answer();
      await parentLane.end();
      assert.deepEqual(await wanted(place), [["child", "start"]]);
      await childLane.start("childRun");
      await childLane.boundary();
      await childLane.answer();
      await childLane.end({ result: "found it" });
      const row = await parentLane.row("result:q1");
      assert.deepEqual(
        [row.status, row.body, row.resultOf?.sessionId, row.resultOf?.outcome.status],
        ["queued", "found it", "child", "completed"],
      );
      assert.deepEqual(await wanted(place), [["parent", "start"]]);
      assert.deepEqual((await parentLane.state()).background, []);
    },
  );

  storeTest(
    engine,
    "C7 a cancel names background children, and covers them only with tree",
    async (place) => {
      const { parentLane, childLane } = await family(place);
      await parentLane.link(child, { background: true });
      await childLane.accept("q1", { parent: { ...parent, background: true } });
      const named = done(await parentLane.cancel("c1")).receipt;
      assert.deepEqual([named?.background, named?.children], [[child], []]);
      assert.equal((await childLane.row("q1")).status, "queued");
      done(await parentLane.cancel("c2", { tree: true }));
      assert.equal((await childLane.row("q1")).outcome?.reason, "parentCancel");
      assert.equal(await place.store.prompt("parent", "result:q1"), null);
      assert.deepEqual((await parentLane.state()).background, []);
    },
  );

  storeTest(
    engine,
    "C7 a cancel with tree reaches a grandchild, through a child that has settled",
    async (place) => {
      const { parentLane, childLane } = await family(place);
      await parentLane.link(child, { background: true });
      await childLane.accept("q1", { parent: { ...parent, background: true } });
      await childLane.start("childRun");
      const grandchild = { sessionId: "grandchild", promptId: "q2" };
      const create = { contentHash: "made", directory: "/below" };
      done(await childLane.link(grandchild, { background: true, create }));
      const below = place.lane("grandchild");
      const link = { sessionId: "child", runId: "childRun", background: true };
      done(await below.accept("q2", { parent: link }));
      await below.start("grandchildRun");
      await childLane.end();
      assert.deepEqual((await childLane.state()).ancestors.length, 1);
      const receipt = done(await parentLane.cancel("c1", { tree: true })).receipt;
      assert.deepEqual(receipt?.background, [grandchild]);
      done(await below.end());
      assert.equal((await below.row("q2")).outcome?.reason, "parentCancel");
      assert.equal(await place.store.prompt("child", "result:q2"), null);
      assert.deepEqual((await childLane.state()).ancestors, []);
      assert.deepEqual((await parentLane.state()).branches, []);
    },
  );

  storeTest(engine, "C7 a child whose parent was deleted settles all the same", async (place) => {
    const { parentLane, childLane } = await family(place);
    await parentLane.link(child, { background: true });
    await childLane.accept("q1", { parent: { ...parent, background: true } });
    await childLane.start("childRun");
    await parentLane.remove();
    await childLane.boundary();
    await childLane.answer();
    done(await childLane.end());
    assert.equal((await childLane.row("q1")).outcome?.status, "completed");
    assert.equal(await place.store.prompt("parent", "result:q1"), null);
  });
}

async function family(place: Place): Promise<{ parentLane: LaneClient; childLane: LaneClient }> {
  const childLane = await place.newLane("child");
  return { parentLane: await runningLane(place, "parent"), childLane };
}

async function runningLane(place: Place, sessionId: string): Promise<LaneClient> {
  await place.store.join({ nodeId: "node1", ttl: 60_000 });
  const lane = await place.newLane(sessionId);
  await lane.accept("p1");
  await lane.start("run1");
  return lane;
}

async function wanted(place: Place): Promise<[string, string][]> {
  const { lanes } = await place.store.pending({ limit: 10 });
  return lanes.map(({ sessionId, wants }) => [sessionId, wants]);
}
