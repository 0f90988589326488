import assert from "node:assert/strict";
import type { CommandInput, Store } from "../../../src/store/store.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, verdict } from "../lane-client.ts";

const oddIds = [
  "",
  " ",
  "a b",
  "a/b",
  "a\u0000b",
  "\ud800",
  "日本",
  "'; DROP TABLE lanes; --",
  "%",
  "x".repeat(201),
  "x".repeat(100_000),
];

export function testInput(engine: Engine): void {
  storeTest(engine, "P5 odd ids are refused, and nothing is found under them", async (place) => {
    const { store } = place;
    const lane = await place.newLane("s");
    const longest = "x".repeat(200);
    assert.equal(verdict(await lane.accept(longest)), "done");
    for (const id of oddIds) {
      assert.equal(verdict(await place.lane(id).create()), "invalid");
      assert.equal(verdict(await place.lane(id).accept("p")), "unknownSession");
      assert.equal(verdict(await lane.accept(id)), "invalid");
      assert.equal(verdict(await lane.cancel(id)), "invalid");
      assert.equal(await store.lane(id), null);
      assert.equal(await store.prompt("s", id), null);
      assert.equal(await store.ask("s", id), null);
      assert.equal(await store.body(id), null);
      assert.deepEqual(await store.events(id, { after: null, limit: 1 }), []);
      assert.deepEqual(await store.prompts(id, { after: null, limit: 1 }), []);
    }
    assert.deepEqual(await store.sessions({ after: null, limit: 10 }), ["s"]);
    assert.deepEqual(await lane.types(), ["session.created", "prompt.accepted"]);
  });

  storeTest(engine, "P5 page limits that make no sense throw", async (place) => {
    const reads: ((store: Store, limit: number) => Promise<unknown>)[] = [
      (store, limit) => store.events("s", { after: null, limit }),
      (store, limit) => store.prompts("s", { after: null, limit }),
      (store, limit) => store.sessions({ after: null, limit }),
      (store, limit) => store.feed({ after: null, limit }),
      (store, limit) => store.pending({ limit }),
      (store, limit) => store.asks("s", { after: null, limit }),
      (store, limit) => store.openAsks({ after: null, limit }),
      (store, limit) => store.listSessions({ after: null, limit }),
      (store, limit) => store.records("token", { after: null, limit }),
    ];
    for (const read of reads) {
      for (const limit of [0, -1, 1.5, Number.NaN, Infinity, 10_001]) {
        await assert.rejects(read(place.store, limit), RangeError);
      }
      await read(place.store, 10_000);
    }
  });

  storeTest(engine, "a command that does not exist is refused as unknownCommand", async (place) => {
    const lane = await place.newLane("s");
    const command: CommandInput = JSON.parse(
      '{ "type": "lane.explode", "sessionId": "s", "actor": { "kind": "client", "id": "me" } }',
    );
    assert.equal(verdict(await place.store.execute({ command })), "unknownCommand");
    assert.deepEqual(await lane.types(), ["session.created"]);
  });

  storeTest(engine, "T2 any text comes back as it was written", async (place) => {
    const odd = 'nul \u0000 lone \ud800 pair 😀 quote " \\ line\n\u2028 end';
    const lane = place.lane("s");
    done(await lane.create({ directory: odd }));
    done(await lane.hold("h", odd));
    await place.reopen();
    const state = await place.lane("s").state();
    assert.equal(state.directory, odd);
    assert.deepEqual(state.holds, [{ kind: "person", holdId: "h", reason: odd }]);
  });

  storeTest(engine, "session ids come in order, page by page", async (place) => {
    const ids = ["b", "a", "B", "a-1", "a.1", "a1", "Z", "~"];
    for (const id of ids) await place.newLane(id);
    const found: string[] = [];
    for (;;) {
      const page = await place.store.sessions({ after: found.at(-1) ?? null, limit: 3 });
      found.push(...page);
      if (page.length < 3) break;
    }
    assert.deepEqual(found, ids.toSorted());
  });
}
