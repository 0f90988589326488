import assert from "node:assert/strict";
import { test } from "node:test";
import { Aborted, BadAnswer, isEvent, Refused, Unreachable } from "../src/index.ts";
import type { SessionItem } from "../src/index.ts";
import { eventFrame, someEvents } from "./support/events.ts";
import { cut, eventStream, frame, json, refusal, scripted } from "./support/scripted.ts";

const [first, second, third, fourth] = someEvents(4).map(eventFrame);
const closed = (reason: string): string => frame("closed", { reason, after: "1" });
const live = (seq: number): string => frame("live", { seq, cursor: String(seq) });

/** Short forms of the first `count` items of a stream. */
async function take(stream: AsyncGenerator<SessionItem>, count = Infinity): Promise<string[]> {
  const items: string[] = [];
  for await (const item of stream) {
    items.push("seq" in item ? `${item.type} ${item.seq}` : item.type);
    if (items.length === count) break;
  }
  return items;
}

const renamed = (...seqs: number[]): string[] => seqs.map((seq) => `session.renamed ${seq}`);

test("a cut stream continues after the last complete event (T2)", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([`${first}${second}${third?.slice(0, 20)}`], { end: "cut" }),
    cut,
    eventStream([`${third}`]),
    eventStream([`${fourth}`, live(4)], { end: "silence" }),
  ]);
  const items = await timing.during(take(holdfast.session("s1").events(), 5));
  assert.deepEqual(items, [...renamed(1, 2, 3, 4), "live 4"]);
  assert.deepEqual(
    sent.map(({ at, route }) => `${at} ${route}`),
    [
      "0 GET /v1/sessions/s1/events",
      "0 GET /v1/sessions/s1/events?after=2",
      "100 GET /v1/sessions/s1/events?after=2",
      "100 GET /v1/sessions/s1/events?after=3",
    ],
  );
  assert.equal(timing.pending(), 0);
});

test("a duplicate event is yielded once, and a gap is requested again (T2)", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([`${first}${first}${second}${first}${fourth}`]),
    eventStream([`${second}${third}${fourth}`], { end: "silence" }),
  ]);
  const items = await timing.during(take(holdfast.session("s1").events(), 4));
  assert.deepEqual(items, renamed(1, 2, 3, 4));
  assert.equal(sent.at(-1)?.route, "GET /v1/sessions/s1/events?after=2");
});

test("after: now keeps its position even if the stream is cut before the first event (T2)", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([live(2)]),
    eventStream([`${third}`, live(3)], { end: "silence" }),
  ]);
  const items = await timing.during(take(holdfast.session("s1").events({ after: "now" }), 2));
  assert.deepEqual(items, ["live 2", "session.renamed 3"]);
  assert.deepEqual(
    sent.map(({ route }) => route),
    ["GET /v1/sessions/s1/events?after=now", "GET /v1/sessions/s1/events?after=2"],
  );
});

test("a reader reconnects after being too slow and after a drain (P5)", async () => {
  const { holdfast, timing } = scripted([
    eventStream([`${first}`, closed("slowReader")]),
    eventStream([`${second}`, closed("draining")]),
    refusal(503, "draining", { headers: { "retry-after": "1" } }),
    cut,
    eventStream([`${third}`], { end: "silence" }),
  ]);
  const items = await timing.during(take(holdfast.session("s1").events(), 3));
  assert.deepEqual(items, renamed(1, 2, 3));
});

test("a stream whose token is revoked is refused", async () => {
  const revoked = scripted([eventStream([closed("revoked")]), refusal(401, "unauthorized")]);
  await assert.rejects(
    revoked.timing.during(take(revoked.holdfast.session("s1").events())),
    Refused,
  );
});

test("without follow a stream ends after the last event, and a cut is not taken for the end", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([`${first}`]),
    eventStream([`${second}`, live(2)]),
  ]);
  const stream = holdfast.session("s1").events({ follow: false, deltas: false });
  assert.deepEqual(await timing.during(take(stream)), [...renamed(1, 2), "live 2"]);
  assert.deepEqual(
    sent.map(({ route }) => route),
    [
      "GET /v1/sessions/s1/events?deltas=false&follow=false",
      "GET /v1/sessions/s1/events?deltas=false&follow=false&after=1",
    ],
  );
});

test("a connection without heartbeats is given up", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([`${first}`, ": beat\n\n"], { end: "silence" }),
    eventStream([`${second}`], { end: "silence" }),
  ]);
  await timing.during(take(holdfast.session("s1").events(), 2));
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 45_000],
  );
});

test("patience counts from the last byte of the server", async () => {
  const parts = scripted([eventStream([`${first}`, live(1)], { end: "silence" }), cut], {
    patience: 1_000,
  });
  const stream = parts.timing.during(take(parts.holdfast.session("s1").events()));
  await assert.rejects(stream, Unreachable);
  assert.deepEqual(
    parts.sent.map(({ at }) => at),
    [0, 45_000, 45_100, 45_300, 45_700],
  );
});

test("a server that always closes the stream is not retried forever", async () => {
  const draining = eventStream([closed("draining")]);
  const { holdfast, timing, sent } = scripted([draining], { patience: 1_000 });
  await assert.rejects(timing.during(take(holdfast.session("s1").events())), Unreachable);
  assert.equal(sent.length, 4);
});

test("a cut after progress is retried at once, a cut without progress after a pause", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([`${first}`]),
    eventStream([`${second}`], { end: "cut" }),
    eventStream([`${first}${second}`, live(2)]),
    eventStream([frame("snapshot", {}), live(2)]),
    eventStream([`${third}`, closed("slowReader")]),
    eventStream([`${fourth}`], { end: "silence" }),
  ]);
  const items = await timing.during(take(holdfast.session("s1").events(), 7));
  assert.deepEqual(
    items.filter((item) => item.startsWith("session")),
    renamed(1, 2, 3, 4),
  );
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 0, 0, 100, 200, 300],
  );
});

test("a cursor without events is not progress", async () => {
  const here = frame("live", { cursor: "c/1" });
  const { holdfast, timing, sent } = scripted([
    eventStream([frame("session.renamed", { sessionId: "s1", seq: 4 }, "c/1")]),
    eventStream([here]),
    eventStream([here]),
    eventStream([frame("session.renamed", { sessionId: "s1", seq: 5 }, "c/2")]),
  ]);
  const read = async (): Promise<void> => {
    for await (const item of holdfast.events()) if ("seq" in item && item.seq === 5) break;
  };
  await timing.during(read());
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 0, 100, 200],
  );
});

test("a response that is not an event stream, or not valid, throws", async () => {
  for (const answer of [json({ hello: 1 }), eventStream(["id: 1\nevent: a\ndata: {\n\n"])]) {
    const { holdfast, timing, sent } = scripted([answer]);
    await assert.rejects(timing.during(take(holdfast.session("s1").events())), BadAnswer);
    assert.equal(sent.length, 1);
  }
});

test("leaving the loop or aborting the signal closes the connection", async () => {
  const closings: string[] = [];
  const watched = (name: string) => (request: Request) => {
    request.signal.addEventListener("abort", () => closings.push(name));
    return eventStream([`${first}${second}`], { end: "silence" })(request);
  };
  const left = scripted([watched("left")]);
  await take(left.holdfast.session("s1").events(), 1);

  const stopped = scripted([watched("stopped")]);
  const controller = new AbortController();
  const stream = stopped.holdfast.session("s1").events({ signal: controller.signal });
  assert.equal((await stream.next()).done, false);
  controller.abort();
  // The second event has already arrived, but is not yielded any more.
  await assert.rejects(stream.next(), Aborted);
  assert.deepEqual(closings, ["left", "stopped"]);
  assert.deepEqual([left.timing.pending(), stopped.timing.pending()], [0, 0]);
});

test("the stream of all sessions continues from its cursor and reports skipped events (T2)", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([frame("session.renamed", { sessionId: "s1", seq: 4 }, "c/1")]),
    eventStream([frame("reset", { cursor: "c/9" })]),
    eventStream(
      [
        frame("session.renamed", { sessionId: "s2", seq: 1 }, "c/10"),
        frame("live", { cursor: "c/11" }),
      ],
      { end: "silence" },
    ),
  ]);
  const items: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const item of holdfast.events()) if (items.push(item) === 4) break;
  };
  await timing.during(read());
  assert.deepEqual(items, [
    { sessionId: "s1", seq: 4, cursor: "c/1" },
    { type: "reset", cursor: "c/9" },
    { sessionId: "s2", seq: 1, cursor: "c/10" },
    { type: "live", cursor: "c/11" },
  ]);
  assert.deepEqual(
    sent.map(({ route }) => route),
    ["GET /v1/events", "GET /v1/events?after=c%2F1", "GET /v1/events?after=c%2F9"],
  );
});

test("a log that is shorter than the last seen event is reported, and the stream continues from its end (T2)", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([frame("reset", { cursor: "2" }, 2), live(2)]),
    eventStream([`${third}`, live(3)], { end: "silence" }),
  ]);
  const items = await timing.during(take(holdfast.session("s1").events({ after: 9 }), 4));
  assert.deepEqual(items, ["reset 2", "live 2", "session.renamed 3", "live 3"]);
  assert.deepEqual(
    sent.map(({ route }) => route),
    ["GET /v1/sessions/s1/events?after=9", "GET /v1/sessions/s1/events?after=2"],
  );
});

/** An event with an id that contains its time. */
const marked = (seq: number): string => frame("session.renamed", { seq }, `${seq}-70${seq}`);

test("a stream resumes with event ids, or with the seq if the server does not know ids (T2)", async () => {
  const { holdfast, timing, sent } = scripted([
    eventStream([marked(3)], { end: "cut" }),
    refusal(400, "badCursor"),
    eventStream([frame("session.renamed", { seq: 4 }, 4)], { end: "cut" }),
    eventStream([frame("live", { seq: 4, cursor: "4-704" })], { end: "cut" }),
    eventStream([frame("reset", { cursor: "2-900" }, "2-900"), marked(3)], { end: "silence" }),
  ]);
  const stream = holdfast.session("s1").events({ after: { seq: 2, at: 702 } });
  const items: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const item of stream) if (items.push(item) === 5) break;
  };
  await timing.during(read());
  assert.deepEqual(items, [
    { seq: 3 },
    { seq: 4 },
    { type: "live", seq: 4 },
    { type: "reset", seq: 2 },
    { seq: 3 },
  ]);
  assert.deepEqual(
    sent.map(({ route }) => route.slice(route.indexOf("=") + 1)),
    ["2-702", "3-703", "3", "4", "4-704"],
  );
});

test("streams report a shutdown and ignore unknown items of a newer server (M9)", async () => {
  const answer = eventStream([frame("unheardOf", { a: 1 }), frame("draining", { until: 7 })], {
    end: "silence",
  });
  const session = scripted([answer]);
  const events = session.holdfast.session("s1").events();
  const all = scripted([answer]);
  const feed = all.holdfast.events();
  const notice = { done: false, value: { type: "draining", until: 7 } };
  assert.deepEqual(await session.timing.during(events.next()), notice);
  assert.deepEqual(await all.timing.during(feed.next()), notice);
  await Promise.all([events.return(undefined), feed.return(undefined)]);
});

test("isEvent is true for log events and false for other items", () => {
  const beside: SessionItem[] = [
    { type: "live", seq: 1 },
    { type: "reset", seq: 1 },
    { type: "draining", until: 1 },
  ];
  assert.deepEqual(beside.filter(isEvent), []);
});
