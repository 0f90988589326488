import assert from "node:assert/strict";
import type { PendingLane } from "../../../src/store/store.ts";
import * as make from "../../kernel/support/commands.ts";
import { storeTest } from "../engine.ts";
import type { Engine, Place } from "../engine.ts";
import { done } from "../lane-client.ts";

export function testPending(engine: Engine): void {
  storeTest(
    engine,
    "L3 a lane is pending whenever it could start, by stored state only",
    async (place) => {
      await place.store.join({ nodeId: "node1", ttl: 60_000 });
      const lane = await place.newLane("s");
      assert.deepEqual(await wanted(place), []);
      await lane.accept("p1");
      assert.deepEqual(await wanted(place), [wants("start", 2)]);
      await lane.accept("p2");
      await lane.start("run1");
      assert.deepEqual(await wanted(place), []);
      await lane.end({ status: "failed", reason: "agentError" });
      assert.deepEqual(await wanted(place), [wants("start", 6)]);
      await lane.hold("h");
      assert.deepEqual(await wanted(place), []);
      await place.reopen();
      assert.deepEqual(await wanted(place), []);
      await place.lane("s").release("h");
      assert.deepEqual(await wanted(place), [wants("start", 8)]);
      await place.reopen();
      assert.deepEqual(await wanted(place), [wants("start", 8)]);
      await place.lane("s").cancel("c1");
      assert.deepEqual(await wanted(place), []);
    },
  );

  storeTest(
    engine,
    "S2 a lane is ready since the first event that made it ready, until it starts",
    async (place) => {
      await place.store.join({ nodeId: "node1", ttl: 60_000 });
      const since = () => place.store.readySince("s");
      assert.equal(await since(), null);
      const lane = await place.newLane("s");
      assert.equal(await since(), null);
      await lane.accept("p1");
      const { lanes } = await place.store.pending({ limit: 1 });
      await place.advance(10);
      await lane.accept("p2");
      assert.deepEqual([await since()], [lanes[0]?.since]);
      await lane.start("run1");
      assert.equal(await since(), null);
    },
  );

  storeTest(
    engine,
    "L4 lanes held by a failure are found, in all directories or in some",
    async (place) => {
      await place.store.join({ nodeId: "node1", ttl: 60_000 });
      const directories = { a: "/one", b: "/two", c: "/one", failure: '/odd "\u0000 \ud800' };
      for (const [sessionId, directory] of Object.entries(directories)) {
        const lane = place.lane(sessionId);
        await lane.create({ directory });
        await lane.accept("p1");
        if (sessionId === "c") await lane.hold("failure");
        if (sessionId === "c") continue;
        await lane.start("run1");
        await lane.end({ status: "failed", reason: "badKey" }, { hold: { retryAt: null } });
      }
      const held = async (asked: readonly string[] | null): Promise<string[]> =>
        (await place.store.failureHolds(asked)).map(({ sessionId }) => sessionId);
      assert.deepEqual(await held(null), ["a", "b", "failure"]);
      assert.deepEqual(await held(["/one", "/none"]), ["a"]);
      assert.deepEqual(await place.store.failureHolds([directories.failure]), [
        { sessionId: "failure", directory: directories.failure },
      ]);
      assert.deepEqual(await held([]), []);
      const target = { kind: "refresh" } as const;
      await place.lane("a").send({ type: "hold.release", target });
      assert.deepEqual(await held(null), ["b", "failure"]);
    },
  );

  storeTest(
    engine,
    "L3 the lane that has waited longest comes first, up to the limit",
    async (place) => {
      for (const sessionId of ["c", "a", "b"]) {
        const lane = await place.newLane(sessionId);
        await lane.accept("p1");
        await place.advance(10);
      }
      // A further prompt does not move a lane to the end.
      await place.lane("c").accept("p2");
      assert.deepEqual(
        (await wanted(place)).map(({ sessionId }) => sessionId),
        ["c", "a", "b"],
      );
      assert.deepEqual(
        (await wanted(place, 2)).map(({ sessionId }) => sessionId),
        ["c", "a"],
      );
      await place.store.join({ nodeId: "node1", ttl: 60_000 });
      await place.lane("c").start("run1");
      await place.lane("c").end({ status: "failed", reason: "agentError" });
      assert.deepEqual(
        (await wanted(place)).map(({ sessionId }) => sessionId),
        ["a", "b", "c"],
      );
    },
  );

  storeTest(
    engine,
    "L3 the lane that has waited longest comes first, whatever it needs",
    async (place) => {
      const { store } = place;
      const now = await store.now();
      await store.join({ nodeId: "node1", ttl: 60_000 });
      await store.join({ nodeId: "node2", ttl: 100 });
      await store.join({ nodeId: "node3", ttl: 60_000 });
      for (const [sessionId, owner] of [
        ["one", "node1"],
        ["orphan", "node2"],
        ["three", "node3"],
      ] as const) {
        const lane = await place.newLane(sessionId);
        await lane.accept("p1");
        await lane.start("run1", { owner });
      }
      const due = await place.newLane("due");
      await due.hold("h");
      await due.accept("p1", { expiresAt: now + 150 });
      const early = await place.newLane("early");
      await early.accept("p1");
      await place.advance(200);
      const late = await place.newLane("late");
      await late.accept("p1");
      assert.deepEqual(
        (await wanted(place)).map((lane) => [lane.sessionId, lane.wants]),
        [
          ["early", "start"],
          ["orphan", "takeOver"],
          ["due", "tick"],
          ["late", "start"],
        ],
      );
      assert.deepEqual(
        (await wanted(place, 2)).map(({ sessionId }) => sessionId),
        ["early", "orphan"],
      );
    },
  );

  storeTest(
    engine,
    "L3 starts in full directories do not hide other pending lanes",
    async (place) => {
      const now = await place.store.now();
      for (const directory of ["/crowded", "/free"]) {
        const sessionId = directory.slice(1);
        const lane = place.lane(sessionId);
        done(await lane.create({ directory }));
        await lane.accept("p1");
        await place.advance(10);
      }
      const held = await place.newLane("held");
      await held.hold("h");
      await held.accept("p1", { expiresAt: now + 30 });
      await place.advance(10);
      const found = async (full: readonly string[] | "all"): Promise<string[]> =>
        (await place.store.pending({ limit: 1, full })).lanes.map(({ sessionId }) => sessionId);
      assert.deepEqual(await found([]), ["crowded"]);
      assert.deepEqual(await found(["/crowded"]), ["free"]);
      assert.deepEqual(await found("all"), ["held"]);
      const asked = await place.store.pending({ limit: 1, wants: ["tick"] });
      assert.deepEqual(
        asked.lanes.map(({ sessionId, wants }) => [sessionId, wants]),
        [["held", "tick"]],
      );
    },
  );

  storeTest(
    engine,
    "P6 a lane that is due gets its tick although the directory of its takeover is absent",
    async (place) => {
      const now = await place.store.now();
      await place.store.join({ nodeId: "node1", ttl: 100 });
      for (const sessionId of ["dead", "left"]) {
        const lane = place.lane(sessionId);
        done(await lane.create({ directory: "/elsewhere" }));
        await lane.accept("p1");
        done(await lane.start("run1", { owner: "node1" }));
        if (sessionId === "left") {
          done(await lane.send({ type: "run.handOver", handle: await lane.handle() }));
        }
        await lane.accept("p2", { expiresAt: now + 150 });
      }
      await place.advance(200);
      const found = async (absent: readonly string[]): Promise<string[]> =>
        (await place.store.pending({ limit: 9, absent })).lanes
          .map(({ sessionId, wants: wish }) => `${sessionId} ${wish}`)
          .toSorted();
      assert.deepEqual(await found([]), ["dead takeOver", "left takeOver"]);
      assert.deepEqual(await found(["/elsewhere"]), ["dead tick", "left tick"]);
    },
  );

  storeTest(engine, "M8 waiting work is pending as work", async (place) => {
    const lane = await place.newLane("s");
    await lane.send(make.queueWork("w1"));
    assert.deepEqual(await wanted(place), [wants("work", 2)]);
    // An exclusive operation uses no run slot.
    const crowded = await place.store.pending({ limit: 1, full: "all", wants: ["start", "work"] });
    assert.deepEqual(
      crowded.lanes.map(({ sessionId, wants: wish }) => [sessionId, wish]),
      [["s", "work"]],
    );
  });

  storeTest(
    engine,
    "P6 a lane is due at its time, and the wait until then is returned",
    async (place) => {
      const lane = await place.newLane("s");
      const now = await place.store.now();
      assert.equal((await place.store.pending({ limit: 1 })).nextDueIn, null);
      await lane.hold("h");
      await lane.accept("p1", { expiresAt: now + 100 });
      await lane.accept("p2", { expiresAt: now + 300 });
      assert.deepEqual(await place.store.pending({ limit: 9 }), { lanes: [], nextDueIn: 100 });
      await place.advance(99);
      assert.deepEqual(await place.store.pending({ limit: 9 }), { lanes: [], nextDueIn: 1 });
      await place.advance(1);
      assert.deepEqual(await wanted(place), [wants("tick", 4)]);
      done(await lane.tick());
      assert.equal((await lane.row("p1")).outcome?.reason, "expired");
      assert.deepEqual(await place.store.pending({ limit: 9 }), { lanes: [], nextDueIn: 200 });
    },
  );

  storeTest(engine, "a lane is named once: what is due comes before a start", async (place) => {
    const lane = await place.newLane("s");
    const now = await place.store.now();
    await lane.accept("p1");
    await lane.accept("p2", { expiresAt: now + 100 });
    assert.deepEqual(await wanted(place), [wants("start", 3)]);
    await place.advance(100);
    assert.deepEqual(await wanted(place), [wants("tick", 3)]);
    await lane.tick();
    assert.deepEqual(await wanted(place), [wants("start", 4)]);
  });

  storeTest(
    engine,
    "R1 a run with a dead owner needs a takeover, and so does a handed-over run",
    async (place) => {
      const lane = await place.newLane("s");
      await place.store.join({ nodeId: "node1", ttl: 1000 });
      await lane.accept("p1");
      await lane.start("run1");
      assert.deepEqual(await place.store.pending({ limit: 9 }), { lanes: [], nextDueIn: 1000 });
      await place.advance(999);
      assert.deepEqual(await place.store.pending({ limit: 9 }), { lanes: [], nextDueIn: 1 });
      await place.advance(1);
      assert.deepEqual(await wanted(place), [wants("takeOver", 3)]);
      await place.store.join({ nodeId: "node2", ttl: 1000 });
      done(await lane.takeover({ owner: "node2" }));
      assert.deepEqual(await wanted(place), []);
      await lane.send({ type: "run.handOver", handle: await lane.handle() });
      assert.deepEqual(await wanted(place), [wants("takeOver", 5)]);
    },
  );

  storeTest(engine, "R1 a takeover comes before what is due in the same lane", async (place) => {
    const lane = await place.newLane("s");
    await place.store.join({ nodeId: "node1", ttl: 1000 });
    await lane.accept("p1");
    await lane.start("run1", { stopGrace: 2000 });
    await lane.cancel("c1");
    await place.advance(2000);
    assert.deepEqual(await wanted(place), [wants("takeOver", 5)]);
    done(await lane.takeover());
    assert.equal((await lane.row("p1")).outcome?.status, "cancelled");
    assert.deepEqual(await place.store.pending({ limit: 9 }), { lanes: [], nextDueIn: null });
  });

  storeTest(engine, "R1 an owner that never had a lease is as good as dead", async (place) => {
    const lane = await place.newLane("s");
    await lane.accept("p1");
    await lane.start("run1", { owner: "nobody" });
    assert.deepEqual(await wanted(place), [wants("takeOver", 3)]);
  });
}

async function wanted(place: Place, limit = 10): Promise<readonly Omit<PendingLane, "since">[]> {
  const { lanes } = await place.store.pending({ limit });
  return lanes.map(({ sessionId, directory, wants: what, seq }) => ({
    sessionId,
    directory,
    wants: what,
    seq,
  }));
}

function wants(what: PendingLane["wants"], seq: number): Omit<PendingLane, "since"> {
  return { sessionId: "s", directory: "/project", wants: what, seq };
}
