import assert from "node:assert/strict";
import { test } from "node:test";
import { openStreamFixture } from "./stream-fixture.ts";

test("T2: a session's stream has its log from the beginning, reports when it is live, and continues", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  await fixture.exchange("main", "first");
  const before = await fixture.log("main");
  const reader = await fixture.read({ sessionId: "main" });
  const seen = await reader.until("live");
  assert.deepEqual(seen, [
    ...before.map(messageOf),
    { id: null, event: "live", data: { seq: before.length, cursor: seen.at(-2)?.id } },
  ]);
  await fixture.exchange("main", "second");
  const more = await reader.until("prompt.settled");
  const after = await fixture.log("main");
  const expected = after.map(messageOf).slice(before.length, before.length + more.length);
  assert.deepEqual(more, expected);
});

test("T2: the stream of all sessions has every event once, with ids to resume from", async (context) => {
  const fixture = await openStreamFixture(context);
  for (const sessionId of ["one", "two"]) {
    await fixture.runtime.createSession({ sessionId, directory: "/project" });
    await fixture.exchange(sessionId, "first");
  }
  const whole = await (await fixture.read()).until("live");
  const events = whole.slice(0, -1);
  const ids = events.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [index, id] of ids.entries()) {
    const rest = await (await fixture.read({ after: id, follow: false })).until("live");
    assert.deepEqual(rest, whole.slice(index + 1));
  }
});

test("follow=false ends at the end of the log; after=now starts there", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  for (const sessionId of ["main", null]) {
    const reader = await fixture.read({ sessionId, follow: false });
    const [created, live, end] = [await reader.next(), await reader.next(), await reader.next()];
    assert.equal(created?.event, "session.created");
    assert.equal(live?.event, "live");
    assert.equal(end, null);
    const late = await fixture.read({ sessionId, after: "now", follow: false });
    assert.deepEqual(await late.until("live"), [live]);
  }
  assert.deepEqual(fixture.streams.count(), { session: 0, all: 0 });
});

test("T2: a reader of new events that is disconnected before the first one resumes at the same position", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const places = new Map<string | null, string | null>();
  for (const sessionId of ["main", null]) {
    const reader = await fixture.read({ sessionId, after: "now" });
    await reader.until("live");
    places.set(sessionId, reader.place());
    await reader.cancel();
  }
  await fixture.exchange("main", "first");
  const missed = (await fixture.log("main")).slice(1);
  for (const [sessionId, after] of places) {
    const seen = await (await fixture.read({ sessionId, after, follow: false })).until("live");
    assert.deepEqual(
      seen.slice(0, -1).map(({ data }) => data),
      missed,
    );
  }
});

test("an invalid position is refused; a position past the end causes a reset", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  for (const after of ["", "-1", "1.5", "x", "01", "9".repeat(20), "1\n", "1-", "1-x"]) {
    await assert.rejects(fixture.read({ sessionId: "main", after }), { code: "badCursor" });
  }
  for (const after of ["", "x", "a b", "1\n"]) {
    await assert.rejects(fixture.read({ after }), { code: "badCursor" });
  }
  const [created] = await (await fixture.read({ sessionId: "main" })).until("live");
  const end = created?.id ?? "";
  for (const after of ["7", "7-1", "1-1"]) {
    const reader = await fixture.read({ sessionId: "main", after });
    assert.deepEqual(await reader.until("live"), [
      { id: end, event: "reset", data: { cursor: end } },
      { id: null, event: "live", data: { seq: 1, cursor: end } },
    ]);
  }
  const other = await openStreamFixture(context);
  const cursor = await other.runtime.store.feedEnd();
  const here = await fixture.runtime.store.feedEnd();
  const reset = await fixture.read({ after: cursor, follow: false });
  assert.deepEqual(await reset.until("live"), [
    { id: here, event: "reset", data: { cursor: here } },
    { id: null, event: "live", data: { seq: null, cursor: here } },
  ]);
});

test("a reader limited to some directories sees no event of others", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "in", directory: "/project" });
  await fixture.runtime.createSession({ sessionId: "out", directory: "/secret" });
  const reader = await fixture.read({ mayUse: (directory) => directory === "/project" });
  const begun = await reader.until("live");
  await fixture.exchange("out", "hidden");
  await fixture.exchange("in", "shown");
  const seen = await reader.until("prompt.settled");
  assert.deepEqual(
    [...begun, ...seen].filter(({ data }) => JSON.stringify(data).includes('"out"')),
    [],
  );
  assert.deepEqual(
    seen.map(({ event }) => event).filter((event) => event !== "session.renamed"),
    ["prompt.accepted", "run.started", "step.opened", "step.answered", "prompt.settled"],
  );
});

function messageOf(event: unknown): { id: string; event: string; data: unknown } {
  assert(typeof event === "object" && event !== null && "type" in event);
  assert("seq" in event && "at" in event);
  return {
    id: `${String(event.seq)}-${String(event.at)}`,
    event: String(event.type),
    data: JSON.parse(JSON.stringify(event)),
  };
}
