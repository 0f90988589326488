import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../../../src/contract/error.ts";
import type { RefusalDetail } from "../../../src/kernel/refusal.ts";
import { CommandRefused } from "../../../src/runner/command-refused.ts";
import { apiErrorOf } from "../../../src/server/errors.ts";
import type { AnsweredRequest } from "../../../src/server/ports.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import type { StoreErrorCode } from "../../../src/store/store-error.ts";
import { openTestServer } from "./test-server.ts";

const ask = {
  sessionId: "s",
  askId: "a",
  runId: "r",
  callId: null,
  body: "b",
  openedAt: 1,
  expiresAt: null,
  closed: { resolution: { kind: "expired" }, actor: { kind: "node", id: "n" }, at: 2 },
} as const;

test("every refusal has a status, and details that the caller needs", () => {
  const expected: Record<RefusalDetail["code"], [RefusalDetail, number, object | null]> = {
    unknownCommand: [{ code: "unknownCommand" }, 500, null],
    generation: [{ code: "generation", parentRunId: "r" }, 500, null],
    invalid: [{ code: "invalid", field: "text" }, 400, { field: "text" }],
    forbidden: [{ code: "forbidden" }, 403, null],
    unknownSession: [{ code: "unknownSession" }, 404, null],
    deleted: [{ code: "deleted" }, 410, null],
    conflict: [{ code: "conflict" }, 409, null],
    tombstoned: [{ code: "tombstoned" }, 409, null],
    queueFull: [{ code: "queueFull", limit: 5 }, 429, { limit: 5 }],
    tooManyHolds: [{ code: "tooManyHolds", limit: 5 }, 409, { limit: 5 }],
    tooLarge: [{ code: "tooLarge", limit: 5 }, 413, { limit: 5 }],
    draining: [{ code: "draining" }, 503, null],
    busy: [{ code: "busy" }, 409, null],
    held: [{ code: "held" }, 409, null],
    idle: [{ code: "idle" }, 409, null],
    runMismatch: [{ code: "runMismatch", activeRunId: "r" }, 409, { activeRunId: "r" }],
    fenced: [{ code: "fenced" }, 409, null],
    stopping: [{ code: "stopping" }, 409, null],
    outOfOrder: [{ code: "outOfOrder" }, 409, null],
    stepLimit: [{ code: "stepLimit", limit: 5 }, 409, { limit: 5 }],
    unknownPrompt: [{ code: "unknownPrompt" }, 404, null],
    takenIn: [{ code: "takenIn", runId: "r" }, 409, { runId: "r" }],
    notWaiting: [{ code: "notWaiting" }, 409, null],
    staleRevision: [{ code: "staleRevision", revision: 3 }, 409, { revision: 3 }],
    unknownAsk: [{ code: "unknownAsk" }, 404, null],
    // The route adds the ask, which needs the store.
    askClosed: [{ code: "askClosed", ask }, 500, null],
    unknownHold: [{ code: "unknownHold" }, 404, null],
    unknownWork: [{ code: "unknownWork" }, 404, null],
    cycle: [{ code: "cycle" }, 409, null],
    treeFull: [{ code: "treeFull", limit: 5 }, 409, { limit: 5 }],
    owned: [{ code: "owned", owner: "n" }, 409, { owner: "n" }],
  };
  for (const [code, [detail, status, details]] of Object.entries(expected)) {
    const error = apiErrorOf(new CommandRefused({ ...detail, message: "because" }));
    assert.deepEqual([error.status, error.details], [status, details], code);
    if (status !== 500) assert.deepEqual([error.code, error.message], [code, "because"]);
  }
});

test("an unreachable, full or read-only store has its own code; a violation is a bug", () => {
  const expected: [StoreErrorCode, ErrorCode, number][] = [
    ["storeUnavailable", "storeUnavailable", 503],
    ["storeFull", "storeFull", 507],
    ["storeReadOnly", "storeReadOnly", 503],
    ["storeClosed", "storeUnavailable", 503],
    ["storeOwned", "storeUnavailable", 503],
    ["storeCorrupt", "storeUnavailable", 503],
    ["storeTooNew", "storeUnavailable", 503],
    ["storeInUse", "storeUnavailable", 503],
    ["storeInvalid", "storeUnavailable", 503],
    ["storeViolation", "internal", 500],
  ];
  for (const [code, expectedCode, status] of expected) {
    const error = apiErrorOf(new StoreError(code, "sorry"));
    assert.deepEqual([error.code, error.status], [expectedCode, status], code);
  }
});

test("an unreachable store answers 503, and a request that is sent again is executed once", async (t) => {
  const { place, ask: send } = await openTestServer(t);
  const { store } = place.first;
  const body = { promptId: "a", text: "hello" };
  const breakdown = store.breakDown(["execute"]);
  const failed = await send("POST", "/v1/sessions/main/prompts", { body });
  breakdown.repair();
  assert.deepEqual(
    [failed.status, failed.code, failed.headers.get("retry-after")],
    [503, "storeUnavailable", "1"],
  );
  const sent = await send("POST", "/v1/sessions/main/prompts", { body });
  assert.equal(sent.status, 202);
  await (await place.puppets.next()).finish();
});

test("a bug is reported only as internal; the log gets the error, and no message contains a key", async (t) => {
  const seen: AnsweredRequest[] = [];
  const { place, ask: send } = await openTestServer(t, {
    observer: { answered: (request) => void seen.push(request) },
    redact: (text) => text.replaceAll("secret", "[key]"),
  });
  const bug = new TypeError("secret thing is undefined");
  await place.first.interfere(() => Promise.reject(bug));
  const answer = await send("POST", "/v1/sessions/main/prompts", {
    body: { text: "hi" },
    headers: { "x-request-id": "mine-1" },
  });
  await place.first.interfere((_, execute) => execute());
  assert.deepEqual([answer.status, answer.code], [500, "internal"]);
  assert.doesNotMatch(answer.text, /secret|TypeError/);
  assert.deepEqual(
    seen.map((answered) => ({ ...answered, request: null, duration: 0 })),
    [
      {
        request: null,
        requestId: "mine-1",
        method: "POST",
        route: "/v1/sessions/{sessionId}/prompts",
        path: "/v1/sessions/main/prompts",
        status: 500,
        code: "internal",
        actor: { kind: "client", id: "local" },
        duration: 0,
        error: bug,
      },
    ],
  );
  const named = await send("GET", "/v1/sessions/secret");
  assert.match(named.text, /there is no session \[key\]/);
});
