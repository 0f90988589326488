import assert from "node:assert/strict";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { EventPage, Signal, Store } from "../../../src/store/store.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, openLane, readLog } from "../lane-client.ts";

export function testFeed(engine: Engine): void {
  storeTest(engine, "T2 a log is read in pages, from any seq on", async (place) => {
    const lane = await place.newLane("s");
    for (let number = 0; number < 6; number += 1) await lane.accept(`p${number}`);
    const log = await lane.events();
    assert.deepEqual(
      log.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7],
    );
    assert.deepEqual(await place.store.events("s", { after: 0, limit: 2 }), log.slice(0, 2));
    assert.deepEqual(await place.store.events("s", { after: 2, limit: 3 }), log.slice(2, 5));
    assert.deepEqual(await place.store.events("s", { after: 7, limit: 3 }), []);
    assert.deepEqual(await place.store.events("none", { after: null, limit: 3 }), []);
  });

  storeTest(
    engine,
    "T2 P4 a long log and its ledger read the same in pages of any size",
    async (place) => {
      const lane = await place.newLane("s");
      for (let round = 0; round < 12; round += 1) {
        const ids = Array.from({ length: (round * 7) % 13 }, (_, number) => `p${round}-${number}`);
        await Promise.all(ids.map((promptId) => lane.accept(promptId)));
        if (round % 4 === 3) done(await lane.cancel(`c${round}`, { kind: "queue" }));
      }
      await place.reopen();
      const { store } = place;
      const log = await readLog(store, "s");
      const seqs = log.map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: (await place.lane("s").state()).seq }, (_, at) => at + 1),
      );
      assert.ok(seqs.length > 100);
      const accepted = log.filter(({ type }) => type === "prompt.accepted");
      for (const limit of [1, 7, 33, 1000]) {
        const types = ["prompt.accepted"] as const;
        const paged = await pages(
          (after) => store.events("s", { after, limit }),
          ({ seq }) => seq,
        );
        const typed = await pages(
          (after) => store.events("s", { after, limit, types }),
          ({ seq }) => seq,
        );
        const rows = await pages(
          (after) => store.prompts("s", { after, limit }),
          ({ acceptSeq }) => acceptSeq,
        );
        assert.deepEqual([paged, typed], [log, accepted]);
        assert.deepEqual(
          rows.map(({ acceptSeq }) => acceptSeq),
          accepted.map(({ seq }) => seq),
        );
      }
    },
  );

  storeTest(
    engine,
    "T2 a log is read by type and by subject, in order and in pages",
    async (place) => {
      const lane = await place.newLane("s");
      for (const promptId of ["p1", "p2", "p3"]) await lane.accept(promptId);
      await lane.cancel("c1", { kind: "prompt", promptId: "p2" });
      const types = ["session.created", "prompt.settled", "prompt.accepted"] as const;
      const seqs = async (after: number | null, limit: number): Promise<number[]> =>
        (await place.store.events("s", { after, limit, types })).map(({ seq }) => seq);
      const wanted = (await lane.events()).filter(({ type }) =>
        types.some((each) => each === type),
      );
      assert.deepEqual(await place.store.events("s", { after: null, limit: 10, types }), wanted);
      assert.equal(wanted.length, 5);
      assert.deepEqual(
        [await seqs(null, 2), await seqs(2, 2)],
        [
          [1, 2],
          [3, 4],
        ],
      );
      assert.deepEqual(await place.store.events("s", { after: null, limit: 9, types: [] }), []);
      const about = (page: Partial<EventPage>): Promise<readonly LaneEvent[]> =>
        place.store.events("s", { after: null, limit: 9, ...page });
      const once = wanted.filter((event) => "promptId" in event && event.promptId === "p2");
      assert.equal(once.length, 2);
      assert.deepEqual(await about({ subject: "p2" }), once);
      assert.deepEqual(await about({ subject: "p2", limit: 1 }), once.slice(0, 1));
      assert.deepEqual(await about({ subject: "p2", after: once[0]?.seq ?? 0 }), once.slice(1));
      assert.deepEqual(await about({ subject: "p2", types: ["prompt.settled"] }), once.slice(1));
      assert.deepEqual(await about({ subject: "none" }), []);
    },
  );

  storeTest(
    engine,
    "T2 a reader of the feed gets each event once, in order, while many write",
    async (place) => {
      const writers = [place.store, await place.peer()];
      const sessions = Array.from({ length: 16 }, (_, number) => `s${number}`);
      let writing = true;
      const written = Promise.all(
        sessions.map(async (sessionId, index) => {
          const store = writers[index % writers.length] ?? place.store;
          const lane = openLane(store, sessionId);
          done(await lane.create());
          for (let number = 0; number < 12; number += 1) done(await lane.accept(`p${number}`));
        }),
      ).finally(() => {
        writing = false;
      });
      const readers = [7, 100].map((limit) =>
        follow(place.store, { limit, until: () => !writing }),
      );
      await written;
      const logs = await Promise.all(sessions.map((sessionId) => readLog(place.store, sessionId)));
      for (const events of await Promise.all(readers)) {
        assert.equal(events.length, 16 * 13);
        assert.deepEqual(
          sessions.map((sessionId) => events.filter((event) => event.sessionId === sessionId)),
          logs,
        );
      }
    },
  );

  storeTest(
    engine,
    "T2 a cursor continues at its position, even after the store is opened again",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      const first = await place.store.feed({ after: null, limit: 1 });
      assert.equal(first.status, "events");
      assert.equal(first.more, true);
      await place.reopen();
      const rest = await place.store.feed({ after: first.cursor, limit: 10 });
      assert.equal(rest.status, "events");
      assert.deepEqual([...first.events, ...rest.events], await readLog(place.store, "s"));
      assert.equal(rest.more, false);
      const end = await place.store.feed({ after: rest.cursor, limit: 10 });
      assert.deepEqual(end, {
        status: "events",
        events: [],
        cursors: [],
        cursor: rest.cursor,
        more: false,
      });
      assert.equal(await place.store.feedEnd(), rest.cursor);
    },
  );

  storeTest(engine, "T2 a reader goes on from any event of any page", async (place) => {
    const peer = await place.peer();
    for (const id of ["s", "t"]) await place.newLane(id);
    for (let number = 0; number < 4; number += 1) {
      await Promise.all([
        place.lane("s").accept(`p${number}`),
        openLane(peer, "t").accept(`p${number}`),
      ]);
    }
    const all = await follow(place.store, { limit: 100, until: () => true });
    assert.equal(all.length, 10);
    for (const limit of [1, 3, 4, 100]) {
      let seen = 0;
      for (let after: string | null = null; ;) {
        const page = await place.store.feed({ after, limit });
        assert.equal(page.status, "events");
        assert.equal(page.cursors.length, page.events.length);
        for (const cursor of page.cursors) {
          seen += 1;
          assert.equal(place.store.isFeedCursor(cursor), true);
          const rest = await place.store.feed({ after: cursor, limit: 100 });
          assert.equal(rest.status, "events");
          assert.deepEqual(rest.events, all.slice(seen));
        }
        after = page.cursor;
        if (!page.more) break;
      }
      assert.equal(seen, 10);
    }
  });

  storeTest(
    engine,
    "T2 a cursor of another store gets a reset, and continues from there",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      const elsewhere = await engine.open();
      const foreign = await elsewhere.store.feed({ after: null, limit: 1 });
      await elsewhere.close();
      const strange = ["", "0", "-1", "x", "\u0000", "x".repeat(10_000), foreign.cursor];
      for (const [number, after] of strange.entries()) {
        const page = await place.store.feed({ after, limit: 10 });
        assert.equal(page.status, "reset", after);
        assert.equal(place.store.isFeedCursor(after), after === foreign.cursor);
        await lane.accept(`later${number}`);
        const next = await place.store.feed({ after: page.cursor, limit: 10 });
        assert.equal(next.status, "events");
        assert.deepEqual(next.events, (await lane.events()).slice(-1));
      }
    },
  );

  storeTest(engine, "a watcher hears of lanes that changed, until it stops", async (place) => {
    const { promise, resolve } = Promise.withResolvers<Signal>();
    const heard: Signal[] = [];
    const unwatch = place.store.watch((signal) => {
      heard.push(signal);
      if (signal.kind === "lane" && signal.seq === 2) resolve(signal);
    });
    const lane = await place.newLane("s");
    await lane.accept("p1");
    const since = (await lane.events()).at(-1)?.at;
    assert.deepEqual(await promise, {
      kind: "lane",
      sessionId: "s",
      seq: 2,
      ready: { directory: "/project", wants: "start", since },
      wantsNothing: false,
      isForeign: false,
    });
    unwatch();
    const before = heard.length;
    await lane.accept("p2");
    await lane.accept("p3");
    assert.equal(heard.length, before);
  });

  storeTest(engine, "event pages that are read at the same time do not mix", async (place) => {
    const names = ["one", "two", "three"];
    for (const name of names) {
      const lane = await place.newLane(name);
      await lane.accept(`${name}-a`);
      await lane.accept(`${name}-b`);
    }
    const wanted = [...names, "unknown", "nu\0ll"].flatMap((name) =>
      [0, 1, 2].flatMap((first) => [1, 2, 500].map((limit) => ({ name, first, limit }))),
    );
    const read = await Promise.all(
      wanted.map(({ name, first, limit }) => place.store.events(name, { after: first, limit })),
    );
    for (const [index, { name, first, limit }] of wanted.entries()) {
      const count = names.includes(name) ? Math.min(limit, 3 - first) : 0;
      assert.deepEqual(
        read[index]?.map(({ sessionId, seq }) => [sessionId, seq]),
        Array.from({ length: count }, (_, place) => [name, first + place + 1]),
      );
    }
  });
}

/** All rows of a list, read page by page. */
async function pages<Row>(
  read: (after: number | null) => Promise<readonly Row[]>,
  keyOf: (row: Row) => number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    const page = await read(last === undefined ? null : keyOf(last));
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

/** Reads the feed to its end, and on while there may be more to come. */
async function follow(
  store: Store,
  options: { limit: number; until: () => boolean },
): Promise<LaneEvent[]> {
  const events: LaneEvent[] = [];
  let after: string | null = null;
  for (;;) {
    const isLast = options.until();
    const page = await store.feed({ after, limit: options.limit });
    assert.equal(page.status, "events");
    events.push(...page.events);
    after = page.cursor;
    if (isLast && !page.more) return events;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
