import assert from "node:assert/strict";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, openLane, verdict } from "../lane-client.ts";

export function testLeases(engine: Engine): void {
  storeTest(engine, "L1 of two nodes that race for a lane one gets it", async (place) => {
    const peer = await place.peer();
    await place.store.join({ nodeId: "node1", ttl: 60_000 });
    await peer.join({ nodeId: "node2", ttl: 60_000 });
    const lane = await place.newLane("s");
    const other = openLane(peer, "s");
    for (let round = 0; round < 10; round += 1) {
      await lane.accept(`p${round}`);
      const answers = await Promise.all([
        lane.start(`a${round}`, { owner: "node1" }),
        other.start(`b${round}`, { owner: "node2" }),
        lane.start(`c${round}`, { owner: "node1" }),
        other.start(`d${round}`, { owner: "node2" }),
      ]);
      assert.deepEqual(answers.map(verdict).toSorted(), ["busy", "busy", "busy", "done"]);
      done(await lane.end({ status: "failed", reason: "agentError" }));
    }
  });

  storeTest(engine, "L5 after a takeover the former owner can write nothing", async (place) => {
    await place.store.join({ nodeId: "node1", ttl: 1000 });
    const peer = await place.peer();
    await peer.join({ nodeId: "node2", ttl: 60_000 });
    const lane = await place.newLane("s");
    await lane.accept("p1");
    await lane.start("run1");
    await lane.boundary();
    await lane.answer(["call"]);
    const zombie = await lane.handle();
    const heir = openLane(peer, "s");
    assert.equal(verdict(await heir.takeover({ owner: "node2" })), "owned");
    await place.advance(1000);
    assert.deepEqual(await place.store.renew("node1"), { status: "lost" });
    const { events } = done(await heir.takeover({ owner: "node2" }));
    assert.deepEqual(
      events.map((event) => event.type),
      ["run.resumed"],
    );
    const before = await lane.events();
    const writes = await Promise.all([
      lane.boundary(zombie),
      lane.answer([], zombie),
      lane.startTool("call", zombie),
      lane.send({ type: "tool.end", handle: zombie, callId: "call", status: "failed", body: null }),
      lane.send({ type: "run.handOver", handle: zombie }),
      lane.end({ status: "completed" }, { handle: zombie }),
    ]);
    assert.deepEqual(new Set(writes.map(verdict)), new Set(["fenced"]));
    assert.deepEqual(await lane.events(), before);
    done(await heir.startTool("call"));
  });

  storeTest(
    engine,
    "L5 a run cannot be taken over in the commit in which it starts",
    async (place) => {
      await place.store.join({ nodeId: "node1", ttl: 1000 });
      await place.store.join({ nodeId: "node2", ttl: 1000 });
      const lane = await place.newLane("s");
      await lane.accept("p1");
      const answers = await Promise.all([
        lane.start("run1", { owner: "node1" }),
        lane.takeover({ owner: "node2" }),
      ]);
      assert.deepEqual(answers.map(verdict), ["done", "owned"]);
    },
  );

  storeTest(
    engine,
    "L5 a lease expires by the store's clock, and a lost lease stays lost",
    async (place) => {
      const { store } = place;
      const now = await store.now();
      assert.deepEqual(await store.join({ nodeId: "node1", ttl: 1000 }), {
        nodeId: "node1",
        ttl: 1000,
        expiresAt: now + 1000,
      });
      await place.advance(999);
      assert.deepEqual(await store.renew("node1"), {
        status: "renewed",
        expiresAt: now + 1999,
        lanes: [],
      });
      await place.advance(1000);
      assert.deepEqual(await store.renew("node1"), { status: "lost" });
      assert.deepEqual(await store.renew("node1"), { status: "lost" });
      assert.deepEqual(await store.renew("never joined"), { status: "lost" });
    },
  );

  storeTest(engine, "L5 a node that leaves frees its lanes at once", async (place) => {
    const { store } = place;
    await store.join({ nodeId: "node1", ttl: 60_000 });
    const lane = await place.newLane("s");
    await lane.accept("p1");
    await lane.start("run1");
    await store.leave("node1");
    assert.deepEqual(await store.renew("node1"), { status: "lost" });
    assert.deepEqual(
      (await store.pending({ limit: 9 })).lanes.map(({ wants }) => wants),
      ["takeOver"],
    );
    await store.leave("node1");
    await store.leave("never joined");
  });

  storeTest(engine, "M3 the nodes that are alive can be listed, by id", async (place) => {
    const { store } = place;
    const peer = await place.peer();
    assert.deepEqual(await store.nodes(), []);
    const b = await store.join({ nodeId: "b", ttl: 1000 });
    const a = await peer.join({ nodeId: "a", ttl: 2000 });
    await store.join({ nodeId: "c", ttl: 3000 });
    await store.leave("c");
    assert.deepEqual(await peer.nodes(), [
      { nodeId: "a", expiresAt: a.expiresAt },
      { nodeId: "b", expiresAt: b.expiresAt },
    ]);
    await place.advance(1000);
    assert.deepEqual(await store.nodes(), [{ nodeId: "a", expiresAt: a.expiresAt }]);
  });

  storeTest(
    engine,
    "R1 lanes are listed with their owners; lanes of absent directories, or left to others, are not pending",
    async (place) => {
      const { store } = place;
      await store.join({ nodeId: "node1", ttl: 1000 });
      await store.join({ nodeId: "node2", ttl: 60_000 });
      assert.deepEqual(await store.ownedLanes(), []);
      for (const [sessionId, owner] of [
        ["b", "node1"],
        ["a", "node2"],
      ] as const) {
        const lane = await place.newLane(sessionId);
        await lane.accept("p1");
        done(await lane.start(`run-${sessionId}`, { owner }));
      }
      await (await place.newLane("c")).accept("p1");
      assert.deepEqual(await store.ownedLanes(), [
        { nodeId: "node1", sessionId: "b" },
        { nodeId: "node2", sessionId: "a" },
      ]);
      await place.advance(1000);
      const found = async (absent: readonly string[]): Promise<readonly string[]> => {
        const { lanes } = await store.pending({ limit: 9, absent });
        return lanes.map(({ sessionId, wants }) => `${sessionId} ${wants}`).toSorted();
      };
      assert.deepEqual(await found([]), ["b takeOver", "c start"]);
      const [{ directory } = { directory: "" }] = (await store.pending({ limit: 1 })).lanes;
      assert.deepEqual(await found(["/elsewhere"]), ["b takeOver", "c start"]);
      assert.deepEqual(await found([directory]), []);
      const { lanes } = await store.pending({ limit: 9, left: ["b", "c"] });
      assert.deepEqual(
        lanes.map(({ sessionId, wants }) => `${sessionId} ${wants}`),
        ["b takeOver"],
      );
    },
  );

  storeTest(
    engine,
    "L5 a node id is used once, and the length of a lease is limited",
    async (place) => {
      const { store } = place;
      await store.join({ nodeId: "node1", ttl: 1000 });
      const violation = { name: "StoreError", code: "storeViolation" };
      await assert.rejects(store.join({ nodeId: "node1", ttl: 1000 }), violation);
      await place.advance(1000);
      await assert.rejects(store.join({ nodeId: "node1", ttl: 1000 }), violation);
      for (const ttl of [0, -1, 0.5, Number.NaN, Infinity, 86_400_001]) {
        await assert.rejects(store.join({ nodeId: "node2", ttl }), RangeError);
      }
    },
  );

  storeTest(
    engine,
    "L5 a renewal returns the version of every lane that the node owns",
    async (place) => {
      const { store } = place;
      const peer = await place.peer();
      await store.join({ nodeId: "node1", ttl: 1000 });
      await peer.join({ nodeId: "node2", ttl: 1000 });
      for (const sessionId of ["a", "b", "c"]) {
        const lane = await place.newLane(sessionId);
        await lane.accept("p1");
        await lane.start("run1", { owner: sessionId === "c" ? "node2" : "node1" });
      }
      const versions = async (): Promise<unknown> => {
        const renewal = await store.renew("node1");
        assert.equal(renewal.status, "renewed");
        return renewal.lanes.toSorted((left, right) => (left.sessionId < right.sessionId ? -1 : 1));
      };
      assert.deepEqual(await versions(), [
        { sessionId: "a", seq: 3 },
        { sessionId: "b", seq: 3 },
      ]);
      // A cancel through another process is visible without any signal.
      await openLane(peer, "a").cancel("c1");
      await place.lane("b").end({ status: "failed", reason: "agentError" });
      assert.deepEqual(await versions(), [{ sessionId: "a", seq: 5 }]);
    },
  );

  storeTest(
    engine,
    "R1 an interrupted run is dated by the end of its owner's lease",
    async (place) => {
      const { store } = place;
      const { expiresAt } = await store.join({ nodeId: "node1", ttl: 1000 });
      const lane = await place.newLane("s");
      await lane.accept("p1");
      await lane.start("run1");
      await place.advance(1000 + 3_600_001);
      done(await lane.takeover());
      // The run was interrupted more than an hour ago, so it waits for a person.
      const { cutOffAt, owner } = await lane.run();
      assert.deepEqual([cutOffAt, owner], [expiresAt, null]);
      assert.deepEqual((await lane.state()).holds, [
        { kind: "recovery", holdId: "recovery:run1", runId: "run1" },
      ]);
    },
  );
}
