import assert from "node:assert/strict";
import type { WorkRow } from "../../../src/kernel/ledger.ts";
import type { Answer } from "../../../src/kernel/transaction.ts";
import { makeBody } from "../../../src/store/body.ts";
import * as make from "../../kernel/support/commands.ts";
import { storeTest } from "../engine.ts";
import type { Engine, Place } from "../engine.ts";
import { done, person, verdict } from "../lane-client.ts";
import type { LaneClient } from "../lane-client.ts";

const start = 1_700_000_000_000;
const task = makeBody("all of it");
const result = makeBody("it is done");

export function testWork(engine: Engine): void {
  storeTest(engine, "M8 a work is on record from its queueing to its result", async (place) => {
    const lane = await withWork(place);
    const queued: WorkRow = {
      sessionId: "s",
      workId: "w1",
      name: "compact",
      body: task.hash,
      actor: person,
      queuedAt: start,
      started: null,
      ended: null,
    };
    assert.deepEqual(await place.store.work("s", "w1"), queued);
    await place.advance(1);
    assert.deepEqual(done(await startWork(lane)).work, {
      ...queued,
      started: { owner: "node1", at: start + 1 },
    });
    await place.advance(1);
    const { fence } = await lane.state();
    const end = { type: "work.end", workId: "w1", fence, body: result.hash } as const;
    const ended = done(await lane.send(end, [result])).work;
    assert.deepEqual(ended, {
      ...queued,
      started: { owner: "node1", at: start + 1 },
      ended: { cause: "done", body: result.hash, at: start + 2 },
    });
    await place.reopen();
    assert.deepEqual(await place.store.work("s", "w1"), ended);
    assert.deepEqual(await place.store.work("s", "none"), null);
    assert.deepEqual(await place.store.work("s", "\u0000"), null);
  });

  storeTest(
    engine,
    "M8 an operation that is queued again is the same one; with other content it is refused",
    async (place) => {
      const lane = await withWork(place);
      await place.reopen();
      const again = done(await queue(place.lane("s")));
      assert.deepEqual([again.events, again.work], [[], await place.store.work("s", "w1")]);
      const other = make.queueWork("w1", { body: result.hash });
      assert.equal(verdict(await place.lane("s").send(other, [result])), "conflict");
      assert.deepEqual(await place.lane("s").types(), ["session.created", "work.queued"]);
      done(await startWork(place.lane("s")));
      const { fence } = await place.lane("s").state();
      done(await place.lane("s").send({ ...make.endWork("w1", fence), body: null }));
      await place.reopen();
      const late = done(await queue(place.lane("s")));
      assert.deepEqual([late.events, late.work?.ended?.cause], [[], "done"]);
      done(await place.lane("s").remove());
      assert.deepEqual(done(await queue(place.lane("s"))).work, late.work);
      assert.equal(verdict(await place.lane("s").send(make.queueWork("w2"))), "deleted");
      assert.equal(lane.sessionId, "s");
    },
  );
}

async function withWork(place: Place): Promise<LaneClient> {
  const lane = await place.newLane("s");
  await place.store.join({ nodeId: "node1", ttl: 60_000 });
  done(await queue(lane));
  return lane;
}

function queue(lane: LaneClient): Promise<Answer> {
  return lane.send(make.queueWork("w1", { body: task.hash }), [task]);
}

function startWork(lane: LaneClient): Promise<Answer> {
  return lane.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 1000 });
}
