import assert from "node:assert/strict";
import { sessionStatus } from "../../../src/kernel/session-status.ts";
import type { SessionStatus } from "../../../src/kernel/session-status.ts";
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
      // Sessions with the same time still have a fixed order, and none is missing between two pages.
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

  storeTest(engine, "lists of sessions can be narrowed to what they are doing", async (place) => {
    const all = await populateStatuses(place);
    const { store } = place;
    const latestFirst = all.toReversed();
    for (const status of new Set(all.map(({ status }) => status))) {
      const ids = latestFirst.filter((one) => one.status === status).map(({ id }) => id);
      assert.deepEqual(await listed(store, { statuses: [status] }), ids, status);
      assert.deepEqual((await paged(store, { statuses: [status], limit: 1 })).flat(), ids);
    }
    const answers: [query: Partial<SessionQuery>, ids: string[]][] = [
      [{ statuses: [] }, []],
      [{ statuses: ["asking", "running"] }, ["running", "asking"]],
      [{ statuses: ["held", "queued"], archived: false }, ["queued", "held", "kept"]],
      [{ statuses: ["idle"], archived: true }, ["quiet"]],
      [{ statuses: ["running"], directory: "/code/elsewhere" }, []],
      [{ statuses: ["deleted"], deleted: true }, ["gone"]],
      [{ statuses: ["running"], search: "RUNN" }, ["running"]],
    ];
    for (const [query, ids] of answers) {
      assert.deepEqual(await listed(store, query), ids, JSON.stringify(query));
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

/** Creates sessions one after the other, so that the last one is the latest. */
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

/** Creates sessions with different statuses, the earliest first. */
async function populateStatuses(
  place: Place,
): Promise<readonly { id: string; status: SessionStatus }[]> {
  const made: { id: string; status: SessionStatus }[] = [];
  const add = async (
    id: string,
    status: SessionStatus,
    act: (lane: LaneClient) => Promise<unknown>,
  ): Promise<void> => {
    await place.advance(1);
    await act(await place.newLane(id));
    assert.equal(sessionStatus(await place.lane(id).state()), status);
    if (status !== "deleted") made.push({ id, status });
  };
  await place.store.join({ nodeId: "node1", ttl: 60_000 });
  // Text of people that looks like a marker is not a marker.
  await add("plain", "idle", async (lane) => {
    const title = 'a title with "active": and "holds": in it';
    done(await lane.send({ type: "session.rename", title, auto: false }));
  });
  await add("quiet", "idle", async (lane) => {
    done(await lane.send({ type: "session.archive", archived: true }));
  });
  await add("kept", "held", async (lane) => {
    done(await lane.accept("p1"));
    done(await lane.hold("h1"));
  });
  await add("held", "held", async (lane) => done(await lane.hold("h1")));
  await add("gone", "deleted", async (lane) => done(await lane.remove()));
  await add("asking", "asking", async (lane) => {
    await startRun(lane);
    done(await lane.boundary());
    done(await lane.answer([{ callId: "c1" }]));
    done(await lane.ask("a1"));
  });
  await add("stopping", "stopping", async (lane) => {
    await startRun(lane);
    done(await lane.cancel("k1"));
  });
  await add("working", "working", async (lane) => {
    done(await lane.send({ type: "work.queue", workId: "w1", name: "revert", body: null }));
    const start = { type: "work.start", workId: "w1", stopGrace: 1000 } as const;
    done(await lane.send({ ...start, owner: "node1" }));
  });
  await add("queued", "queued", async (lane) => done(await lane.accept("p1")));
  await add("running", "running", startRun);
  return made;
}

async function startRun(lane: LaneClient): Promise<void> {
  done(await lane.accept("p1"));
  done(await lane.start(`run-of-${lane.sessionId}`));
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
