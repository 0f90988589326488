import assert from "node:assert/strict";
import { isSessionCursor } from "../../../src/store/session-list.ts";
import type { SessionQuery } from "../../../src/store/session-list.ts";
import type { Store } from "../../../src/store/store.ts";
import { storeTest } from "../engine.ts";
import type { Engine, Place } from "../engine.ts";
import { done } from "../lane-client.ts";
import type { LaneClient } from "../lane-client.ts";

const start = 1_700_000_000_000;

export function testSessions(engine: Engine): void {
  storeTest(
    engine,
    "a session knows when it was created and when something last happened",
    async (place) => {
      const lane = await place.newLane("s");
      await place.advance(5);
      done(await lane.accept("p1"));
      await place.advance(5);
      done(await lane.accept("p1"));
      done(await lane.cancel("nothing", { kind: "session", upTo: 1 }));
      await place.reopen();
      assert.deepEqual(await place.store.session("s"), {
        state: await place.lane("s").state(),
        createdAt: start,
        updatedAt: start + 5,
      });
      assert.equal(await place.store.session("none"), null);
    },
  );

  storeTest(
    engine,
    "sessions are listed by their latest activity, page by page, each once",
    async (place) => {
      const ids = Array.from({ length: 7 }, (_, number) => `s${number}`);
      for (const id of ids) await place.newLane(id);
      // Of the same moment: still in one order, and none left out between two pages.
      await place.advance(1);
      done(await place.lane("s3").accept("p1"));
      await place.advance(1);
      done(await place.lane("s1").accept("p1"));
      const expected = ["s1", "s3", "s6", "s5", "s4", "s2", "s0"];
      assert.deepEqual(await listed(place.store, {}), expected);
      const pages = [["s1", "s3", "s6"], ["s5", "s4", "s2"], ["s0"]];
      assert.deepEqual(await paged(place.store, { limit: 3 }), pages);
    },
  );

  storeTest(engine, "lists of sessions can be narrowed in every way at once", async (place) => {
    await populate(place);
    const { store } = place;
    const answers: [query: Partial<SessionQuery>, ids: string[]][] = [
      [{}, ["child", "quiet", "Above", "deep", "plain"]],
      [{ directory: "/code/app" }, ["child", "quiet", "plain"]],
      [{ directory: "/code" }, ["Above"]],
      [{ directories: ["/code/app"] }, ["child", "quiet", "deep", "plain"]],
      [{ directories: ["/code/app/sub/", "/code"] }, ["child", "quiet", "Above", "deep", "plain"]],
      [{ directories: ["/"] }, ["child", "quiet", "Above", "deep", "plain"]],
      [{ directories: ["/code/ap"] }, []],
      [{ directories: [] }, []],
      [{ directories: ["/code/app"], directory: "/code" }, []],
      [{ archived: true }, ["quiet"]],
      [{ archived: false }, ["child", "Above", "deep", "plain"]],
      [{ archived: null }, ["child", "quiet", "Above", "deep", "plain"]],
      [{ parent: "plain" }, ["child"]],
      [{ parent: null }, ["quiet", "Above", "deep", "plain"]],
      [{ parent: "none" }, []],
      [{ deleted: true }, ["gone"]],
      [{ search: "" }, ["child", "quiet", "Above", "deep", "plain"]],
      [{ search: "ÜBER den" }, ["plain"]],
      [{ search: "ABOVE" }, ["Above"]],
      [{ search: "APP/sub" }, ["deep"]],
      [{ search: "100%" }, ["quiet"]],
      [{ search: "_" }, []],
      [{ search: "\u0000\ud800" }, []],
      [{ directory: "/code/app", archived: false, parent: null, search: "bäu" }, ["plain"]],
    ];
    for (const [query, ids] of answers) {
      assert.deepEqual(await listed(store, query), ids, JSON.stringify(query));
      assert.deepEqual((await paged(store, { ...query, limit: 2 })).flat(), ids);
    }
  });

  storeTest(
    engine,
    "a label follows its session: renamed, archived, and awake again with a prompt",
    async (place) => {
      const lane = await place.newLane("s");
      const found = async (): Promise<boolean[]> =>
        Promise.all(
          [{ search: "first" }, { search: "second" }, { archived: true }].map(
            async (query) => (await listed(place.store, query)).length === 1,
          ),
        );
      done(await lane.send({ type: "session.rename", title: "First", auto: true }));
      assert.deepEqual(await found(), [true, false, false]);
      done(await lane.send({ type: "session.rename", title: "Second", auto: false }));
      done(await lane.send({ type: "session.archive", archived: true }));
      assert.deepEqual(await found(), [false, true, true]);
      done(await lane.accept("p1"));
      assert.deepEqual(await found(), [false, true, false]);
    },
  );

  storeTest(engine, "what is no cursor of a list is told from one", async (place) => {
    for (const text of ["", "x", "0", "\u0000", "x".repeat(10_000), "MTIz", "!!"]) {
      assert.equal(isSessionCursor(text), false);
      await assert.rejects(place.store.listSessions({ limit: 1, after: text }), RangeError);
    }
  });
}

/** One after the other, so that the last one here is the latest. */
async function populate(place: Place): Promise<void> {
  const rename = { type: "session.rename", auto: false } as const;
  const create = async (id: string, fields: Parameters<LaneClient["create"]>[0]): Promise<void> => {
    await place.advance(1);
    done(await place.lane(id).create(fields));
  };
  await create("plain", { directory: "/code/app" });
  done(await place.lane("plain").send({ ...rename, title: "Über den Bäumen" }));
  await create("deep", { directory: "/code/app/sub" });
  await create("Above", { directory: "/code" });
  await create("quiet", { directory: "/code/app" });
  done(await place.lane("quiet").send({ ...rename, title: "100% done" }));
  done(await place.lane("quiet").send({ type: "session.archive", archived: true }));
  await create("gone", { directory: "/code/app" });
  done(await place.lane("gone").remove());
  await create("child", { directory: "/code/app", parent: { sessionId: "plain", runId: "r" } });
}

async function paged(
  store: Store,
  query: Partial<SessionQuery> & { limit: number },
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const { sessions, cursor } = await store.listSessions({ ...query, after });
    pages.push(sessions.map(({ state }) => state.sessionId));
    assert.ok(cursor === null || isSessionCursor(cursor));
    after = cursor;
  } while (after !== null);
  return pages;
}

async function listed(store: Store, query: Partial<SessionQuery>): Promise<string[]> {
  const { sessions } = await store.listSessions({ limit: 100, after: null, ...query });
  return sessions.map(({ state }) => state.sessionId);
}
