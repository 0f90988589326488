import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import {
  Aborted,
  BadAnswer,
  connect,
  Refused,
  ServerFailed,
  Unavailable,
  Unreachable,
} from "../src/index.ts";
import { cut, json, refusal, scripted } from "./support/scripted.ts";
import type { Answer } from "./support/scripted.ts";

const accepted = json({ promptId: "p1", acceptSeq: 3, status: "queued" }, { status: 202 });
const later = (seconds: string): Answer =>
  refusal(503, "notReady", { headers: { "retry-after": seconds } });

const times = async (random: number): Promise<number[]> => {
  const answers = [cut, cut, json({ items: [] })];
  const { holdfast, timing, sent } = scripted(answers, { random: () => random });
  await timing.during(holdfast.tokens.list());
  return sent.map(({ at }) => at);
};

const page: Answer = () => new Response("<h1>Router login</h1>");

const half: Answer = () => {
  const pieces = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(`{"name":`));
      controller.error(new Error("connection reset"));
    },
  });
  return new Response(pieces);
};

const silent: Answer = () => new Promise(() => {});

test("every attempt to send a prompt has the same id (P3)", async () => {
  const { holdfast, timing, sent } = scripted([cut, cut, cut, accepted]);
  const prompt = await timing.during(holdfast.session("s1").prompt("hello", { delivery: "steer" }));
  const [first] = sent;
  assert.ok(prompt.promptId.startsWith("prompt-"));
  assert.deepEqual(first?.body, { delivery: "steer", promptId: prompt.promptId, text: "hello" });
  assert.deepEqual(
    sent,
    [0, 100, 300, 700].map((at) => ({ ...first, at })),
  );
  assert.equal(timing.pending(), 0);
});

test("every create and cancel request has an id chosen by the client (P3)", async () => {
  const { holdfast, timing, sent } = scripted([json({ status: "ended" })]);
  const session = holdfast.session("s1");
  const calls = async (): Promise<void> => {
    await holdfast.sessions.create({ directory: "/project" });
    await holdfast.sessions.import("a document");
    await session.cancel({ tree: true });
    await session.clearQueue();
    await session.hold({ reason: "lunch" });
    await session.fork({ at: 7 });
    await session.revert("r1", { overwrite: true });
    await session.promptById("p1").withdraw();
  };
  await timing.during(calls());
  const random = /[0-9a-f]{32}/g;
  assert.equal(new Set(JSON.stringify(sent).match(random)).size, 8);
  assert.deepEqual(
    sent.map(({ route, body }) => [route, JSON.stringify(body)].join(" ").replaceAll(random, "?")),
    [
      `POST /v1/sessions {"directory":"/project","sessionId":"session-?"}`,
      `POST /v1/sessions/import?sessionId=session-? "a document"`,
      `POST /v1/sessions/s1/cancel {"tree":true,"cancelId":"cancel-?"}`,
      `POST /v1/sessions/s1/queue/clear {"cancelId":"cancel-?"}`,
      `POST /v1/sessions/s1/holds {"reason":"lunch","holdId":"hold-?"}`,
      `POST /v1/sessions/s1/fork {"at":7,"sessionId":"session-?"}`,
      `POST /v1/sessions/s1/runs/r1/revert {"overwrite":true,"workId":"work-?"}`,
      `DELETE /v1/sessions/s1/prompts/p1?cancelId=cancel-? ""`,
    ],
  );
});

test("a request is retried after the time in Retry-After, not before", async () => {
  const { holdfast, timing, sent } = scripted([later("7"), later("0"), json({ items: [] })]);
  await timing.during(holdfast.tokens.list());
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 7_000, 7_200],
  );
});

test("pauses vary randomly, so that clients do not retry in step", async () => {
  assert.deepEqual(
    [await times(0), await times(0.5)],
    [
      [0, 50, 150],
      [0, 75, 225],
    ],
  );
});

test("a refusal is thrown at once, with its code and details", async () => {
  for (const status of [400, 401, 403, 404, 408, 409, 410, 413, 421, 429]) {
    const { holdfast, timing, sent } = scripted([
      refusal(status, "someCode", { details: { limit: 7 } }),
    ]);
    const error = await timing.during(holdfast.me().catch((error: unknown) => error));
    assert.ok(error instanceof Refused);
    const { code, retryable, requestId, details, message } = error;
    assert.deepEqual(
      { code, retryable, status: error.status, requestId, details, message, sent: sent.length },
      {
        code: "someCode",
        retryable: false,
        status,
        requestId: "request-1",
        details: { limit: 7 },
        message: "someCode for a test",
        sent: 1,
      },
    );
  }
});

test("a rate limit with Retry-After is waited for", async () => {
  const limited = refusal(429, "rateLimited", { headers: { "retry-after": "2" } });
  const { holdfast, timing, sent } = scripted([limited, json({ name: "me" })]);
  await timing.during(holdfast.me());
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 2_000],
  );
});

test("a server error and a response of another server are not retried", async () => {
  const cases: [Answer, new (...args: never[]) => Error][] = [
    [refusal(500, "internal"), ServerFailed],
    [refusal(507, "storeFull"), ServerFailed],
    [page, BadAnswer],
  ];
  for (const [answer, type] of cases) {
    const { holdfast, timing, sent } = scripted([answer]);
    await assert.rejects(timing.during(holdfast.me()), type);
    assert.equal(sent.length, 1);
  }
});

test("when patience ends, the last network error or server response is thrown", async () => {
  const gone = scripted([cut], { patience: 1_000 });
  const error = await gone.timing.during(gone.holdfast.me().catch((error: unknown) => error));
  assert.ok(error instanceof Unreachable);
  assert.equal(error.message, "http://holdfast.test does not answer: connection reset");
  assert.deepEqual(
    gone.sent.map(({ at }) => at),
    [0, 100, 300, 700],
  );

  const busy = scripted([later("100")]);
  const answer = await busy.timing.during(busy.holdfast.me().catch((error: unknown) => error));
  assert.ok(answer instanceof Unavailable);
  assert.deepEqual([answer.code, answer.retryAfter, busy.timing.now()], ["notReady", 100_000, 0]);
});

test("an attempt without a response times out and is retried", async () => {
  const { holdfast, timing, sent } = scripted([silent, json({ name: "me" })], {
    tryTimeout: 5_000,
  });
  await timing.during(holdfast.me());
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 5_100],
  );
});

test("a response that is cut off is requested again", async () => {
  const { holdfast, timing } = scripted([half, json({ name: "me" })]);
  assert.deepEqual(await timing.during(holdfast.me()), { name: "me" });
});

test("a signal aborts a call before, during and between attempts", async () => {
  const reason = new Error("enough");
  const before = scripted([json({})]);
  await assert.rejects(before.holdfast.me({ signal: AbortSignal.abort(reason) }), Aborted);
  assert.equal(before.sent.length, 0);

  const during = new AbortController();
  const aborting: Answer = (request) => {
    during.abort(reason);
    return silent(request);
  };
  const parts = scripted([aborting]);
  await assert.rejects(parts.holdfast.me({ signal: during.signal }), {
    code: "aborted",
    cause: reason,
  });

  const between = new AbortController();
  const paused = scripted([cut]);
  const call = paused.holdfast.me({ signal: between.signal });
  setImmediate(() => between.abort(reason));
  await assert.rejects(call, { code: "aborted", cause: reason });
  assert.deepEqual([paused.sent.length, paused.timing.pending()], [1, 0]);
});

test("a request that is not repeatable is not sent twice", async () => {
  const token = { name: "phone", role: "observe" } as const;
  const lost = scripted([cut]);
  await assert.rejects(lost.timing.during(lost.holdfast.tokens.create(token)), Unreachable);
  assert.equal(lost.sent.length, 1);

  // A proxy may have lost the response. Holdfast itself sends this status before it does anything.
  const proxied = scripted([refusal(504, "gateway", { headers: { "retry-after": "1" } })]);
  await assert.rejects(proxied.timing.during(proxied.holdfast.tokens.create(token)), Unavailable);
  assert.equal(proxied.sent.length, 1);
  const starting = scripted([later("1"), json({ secret: "hf_1" })]);
  assert.deepEqual(await starting.timing.during(starting.holdfast.tokens.create(token)), {
    secret: "hf_1",
  });
});

test("a call leaves no listener on a signal", async () => {
  const { signal } = new AbortController();
  const { holdfast, timing } = scripted([cut, json({ name: "me" })]);
  await timing.during(holdfast.me({ signal }));
  assert.deepEqual([getEventListeners(signal, "abort"), timing.pending()], [[], 0]);
});

test("the wait time is added to the timeout of an attempt", async () => {
  const { holdfast, timing, sent } = scripted([silent], { tryTimeout: 5_000, patience: 5_000 });
  await assert.rejects(
    timing.during(holdfast.session("s1").promptById("p1").settled()),
    Unreachable,
  );
  assert.deepEqual([sent.length, timing.now()], [1, 25_000]);
});

test("an import that takes minutes is not sent twice", async () => {
  const minutes = 9 * 60_000;
  const { holdfast, timing, sent } = scripted([
    () =>
      new Promise((resolve) => {
        timing.after(minutes, () => resolve(Response.json({}, { status: 201 })));
      }),
  ]);
  await timing.during(holdfast.sessions.import("a document"));
  assert.deepEqual([sent.length, timing.now()], [1, minutes]);
});

test("every request has the token, except the health check", async () => {
  const tokens: (string | null)[] = [];
  const answer: Answer = (request) => {
    tokens.push(request.headers.get("authorization"));
    return Response.json({});
  };
  const { holdfast, timing } = scripted([answer], { token: "hf_1" });
  await timing.during(holdfast.me());
  await timing.during(holdfast.health());
  assert.deepEqual(tokens, ["Bearer hf_1", null]);
});

test("ids are escaped, and ids of dots only are refused", async () => {
  const { holdfast, timing, sent } = scripted([json({})], { url: "http://holdfast.test/behind/" });
  await timing.during(holdfast.session("a/b?c").get());
  assert.deepEqual(
    sent.map(({ route }) => route),
    ["GET /behind/v1/sessions/a%2Fb%3Fc"],
  );
  for (const id of ["", ".", ".."]) {
    await assert.rejects(holdfast.session(id).get(), { name: "TypeError" });
  }
  assert.throws(() => connect({ url: "ftp://holdfast.test" }), { name: "TypeError" });
  assert.equal(sent.length, 1);
});
