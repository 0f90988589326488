import assert from "node:assert/strict";
import type { AskKey, Store } from "../../../src/store/store.ts";
import { storeTest } from "../engine.ts";
import type { Engine, Place } from "../engine.ts";
import { done } from "../lane-client.ts";
import type { LaneClient } from "../lane-client.ts";

export function testAsks(engine: Engine): void {
  storeTest(
    engine,
    "R4 a session's asks are read in the order of opening, page by page",
    async (place) => {
      const lane = await asking(place, "s", ["z", "b", "a"]);
      done(await lane.answerAsk("b", "allow"));
      const ids = (page: Partial<Parameters<Store["asks"]>[1]>): Promise<string[]> =>
        idsOf(place.store.asks("s", { after: null, limit: 10, ...page }));
      assert.deepEqual(
        [
          await ids({}),
          await ids({ limit: 2 }),
          await ids({ after: "b" }),
          await ids({ open: true }),
          await ids({ open: false }),
          await ids({ after: "unknown" }),
        ],
        [["z", "b", "a"], ["z", "b"], ["a"], ["z", "a"], ["b"], []],
      );
      assert.deepEqual(await place.store.asks("s", { after: null, limit: 1 }), [
        await place.store.ask("s", "z"),
      ]);
      assert.deepEqual(await ids({ after: "\u0000" }), []);
    },
  );

  storeTest(engine, "R4 the open asks of all sessions are listed, oldest first", async (place) => {
    await asking(place, "s", ["a1", "a2"]);
    await asking(place, "r", ["b1"]);
    const page = (limit: number, after: AskKey | null = null): Promise<string[]> =>
      idsOf(place.store.openAsks({ after, limit }));
    assert.deepEqual(await page(10), ["a1", "a2", "b1"]);
    assert.deepEqual(await page(2), ["a1", "a2"]);
    done(await place.lane("s").answerAsk("a1", "deny"));
    // The page key still works if its ask was answered meanwhile.
    assert.deepEqual(await page(10, { sessionId: "s", askId: "a1" }), ["a2", "b1"]);
    assert.deepEqual(await page(10, { sessionId: "s", askId: "a2" }), ["b1"]);
    done(await place.lane("r").cancel("c1"));
    await place.reopen();
    assert.deepEqual(await page(10), ["a2"]);
  });
}

/** Creates a session whose run has opened these asks, one after the other. */
async function asking(place: Place, sessionId: string, askIds: string[]): Promise<LaneClient> {
  const lane = await place.newLane(sessionId);
  if (sessionId === "s") await place.store.join({ nodeId: "node1", ttl: 60_000 });
  await lane.accept("p1");
  done(await lane.start("run1"));
  await lane.boundary();
  const calls = askIds.map((askId) => `call-${askId}`);
  done(await lane.answer(calls));
  for (const askId of askIds) {
    await place.advance(1);
    done(await lane.ask(askId, { callId: `call-${askId}` }));
  }
  return lane;
}

async function idsOf(asks: ReturnType<Store["asks"]>): Promise<string[]> {
  return (await asks).map(({ askId }) => askId);
}
