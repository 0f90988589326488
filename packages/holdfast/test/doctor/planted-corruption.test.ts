import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { examineAfter, makeSoundStore } from "./sick-store.ts";
import type { SoundStore } from "./sick-store.ts";

let store: SoundStore;
before(async () => {
  store = await makeSoundStore();
});
after(() => store.close());

/** All problems that doctor finds, without the parts that differ from run to run. */
async function found(sql: string): Promise<string[]> {
  const { violations } = await examineAfter(store, sql);
  return violations.map(({ sessionId, problem }) => {
    const name = { main: "main", [store.childId]: "child", [store.backgroundId]: "background" };
    return `${name[sessionId] ?? sessionId}: ${problem}`
      .replaceAll(store.childId, "CHILD")
      .replaceAll(store.backgroundId, "BACKGROUND")
      .replaceAll(/[0-9a-f]{64}/g, "HASH")
      .replaceAll(/(prompt|ask)-[0-9a-f]{24}/g, "$1-ID");
  });
}

const inSession = (sessionId: string): string =>
  `lane = (SELECT lane FROM lanes WHERE session_id = '${sessionId}')`;
const lane = inSession("main");
const eventOf = (type: string): string =>
  `(SELECT min(position) FROM events WHERE ${lane} AND type = '${type}')`;
/** Appends an event to the log, made from another event. */
const append = (place: string, data: string): string =>
  `INSERT INTO events (lane, seq, at, type, data)
   SELECT lane, last, at, type, json_set(${data}, '$.seq', last)
   FROM events, (SELECT max(seq) + 1 AS last FROM events WHERE ${lane}) WHERE position = ${place};
   INSERT INTO log SELECT lane, seq, position FROM events ORDER BY position DESC LIMIT 1;`;
/** A settled prompt's row has its id first and its outcome's status fourteenth. */
const row = (promptId: string): string => `${lane} AND row ->> 0 = '${promptId}'`;
const setOutcome = (status: string): string =>
  `UPDATE settled SET row = json_set(row, '$[13]', '${status}')`;

test("a valid store has no violation, and everything in it is counted", async () => {
  const { violations, violationCount, events, bodies, ...rest } = await examineAfter(store, "");
  assert.deepEqual(
    { violations, violationCount, ...rest },
    { violations: [], violationCount: 0, sessions: 3, prompts: 7, asks: 1, links: 4 },
  );
  assert.ok(events > 40 && bodies > 15);
});

test("T2 doctor finds the gap that a deleted event leaves", async () => {
  assert.deepEqual(await found(`DELETE FROM events WHERE position = ${eventOf("tool.ended")}`), [
    "main: T2: the log has a gap (seq 9 step.opened)",
    "main: T1: a run ends with an open call (seq 13 run.ended)",
  ]);
});

test("T2 doctor finds a log without its beginning", async () => {
  assert.deepEqual(
    await found(`DELETE FROM events WHERE position = ${eventOf("session.created")}`),
    ["main: T2: the log does not begin with session.created"],
  );
});

test("T2 doctor finds a stored state that differs from its log", async () => {
  assert.deepEqual(
    await found(
      "UPDATE lanes SET state = json_set(state, '$.fence', 99) WHERE session_id = 'main'",
    ),
    ["main: T2: the stored state does not match the log (fence)"],
  );
});

test("T2 doctor finds a stored state that is older than its log", async () => {
  assert.deepEqual(
    await found(append(eventOf("prompt.settled"), "json_set(data, '$.promptId', 'x')")),
    ["main: T2: the log has events after the stored state"],
  );
});

test("P4 doctor finds an outcome in the ledger that the log does not have, even if the parent got another outcome", async () => {
  assert.deepEqual(
    await found(
      `${setOutcome("completed")} WHERE ${row("failing")};
       ${setOutcome("failed")} WHERE ${inSession(store.childId)}`,
    ),
    [
      "main: C7: child prompt prompt-ID in session CHILD has another outcome than its parent has recorded",
      "main: P4: prompt failing is on record otherwise than in the log (outcome)",
      "child: P4: prompt prompt-ID is on record otherwise than in the log (outcome)",
    ],
  );
});

test("P2 doctor finds a second outcome of a prompt", async () => {
  assert.deepEqual(
    await found(
      `${append(eventOf("prompt.settled"), "data")}
       UPDATE lanes SET state = json_set(state, '$.seq', json_extract(state, '$.seq') + 1),
         updated_at = (SELECT at FROM events ORDER BY position DESC LIMIT 1)
       WHERE session_id = 'main'`,
    ),
    ["main: P2: a prompt has two outcomes (seq 43 prompt.settled)"],
  );
});

test("P1 doctor finds a missing body, and a body with other content", async () => {
  assert.deepEqual(
    await found(
      `DELETE FROM bodies WHERE hash = (
         SELECT json_extract(data, '$.body') FROM events WHERE position = ${eventOf("prompt.accepted")});
       UPDATE bodies SET content = x'00' WHERE hash = (
         SELECT json_extract(data, '$.body') FROM events WHERE position = ${eventOf("step.answered")})`,
    ),
    [
      "main: P1: body HASH is missing (seq 2 prompt.accepted)",
      "main: P1: the content of body HASH does not match its hash (seq 5 step.answered)",
    ],
  );
});

test("P4 doctor finds missing ledger entries, and entries without an event", async () => {
  assert.deepEqual(
    await found(
      `DELETE FROM settled WHERE ${row("asked")};
       DELETE FROM settled WHERE ${row("parent")};
       UPDATE events SET once = NULL WHERE type = 'prompt.accepted' AND subject = 'parent';
       UPDATE events SET once = 2, subject = 'ghost' WHERE ${lane} AND seq = 3;
       INSERT INTO prompts (position, row)
       SELECT position, json_object('promptId', 'ghost', 'acceptSeq', 3)
       FROM events WHERE ${lane} AND seq = 3`,
    ),
    [
      "main: P4: prompt ghost is in the ledger but not in the log",
      "main: P4: prompt parent is in the log but not in the ledger",
      "main: P4: prompt asked is on record otherwise than in the log (status, runId, outcome, settledAt)",
      "main: P4: prompt parent is in the log and not on record",
    ],
  );
});

test("P1 doctor finds a prompt that is neither settled nor in the state", async () => {
  const problems = await found(
    `DELETE FROM events WHERE ${lane} AND type = 'prompt.settled' AND subject = 'failing'`,
  );
  assert.ok(
    problems.includes("main: P1: prompt failing has no outcome but neither waits nor runs"),
    problems.join("\n"),
  );
});

test("R4 doctor finds an answer to an ask that the log does not have", async () => {
  assert.deepEqual(
    await found("UPDATE asks SET row = json_set(row, '$.closed.resolution.verdict', 'deny')"),
    ["main: R4: ask ask-ID is on record otherwise than in the log (closed)"],
  );
});

test("R4 doctor finds an ask that is answered and listed as open", async () => {
  assert.deepEqual(await found("UPDATE asks SET open = 1"), [
    "main: R4: ask ask-ID is listed as open but is not",
  ]);
});

test("L3 doctor finds a lane whose columns hide that it needs work", async () => {
  assert.deepEqual(
    await found("UPDATE lanes SET ready = 'start', due_at = 1 WHERE session_id = 'main'"),
    ["main: L3: the stored columns for scheduling do not match the state (ready, dueAt)"],
  );
});

test("P4 doctor finds a session whose list columns are wrong", async () => {
  assert.deepEqual(
    await found(
      `UPDATE lanes SET archived = 1, search = 'x', created_at = 1, updated_at = 2, directory = '"/"'
       WHERE session_id = '${store.childId}';
       UPDATE lanes SET deleted = 1, parent = 'x' WHERE session_id = 'main'`,
    ),
    [
      "main: P4: the stored columns for lists do not match the state (deleted, parent)",
      "child: P4: the stored columns for lists do not match the state (directory, createdAt, updatedAt, archived, search)",
    ],
  );
});

test("C7 doctor finds a parent's state that still waits for a child with an outcome", async () => {
  assert.deepEqual(
    await found(
      `UPDATE lanes SET state = json_set(state, '$.background', json_array(json_object(
         'sessionId', '${store.backgroundId}', 'runId', 'r', 'promptId', (
           SELECT row ->> 0 FROM settled WHERE ${inSession(store.backgroundId)}))))
       WHERE session_id = 'main'`,
    ),
    [
      "main: T2: the stored state does not match the log (background)",
      "main: C7: the outcome of child prompt prompt-ID in session BACKGROUND never reached this session",
    ],
  );
});

test("P1 doctor finds a missing lane, and a lane that cannot be read", async () => {
  const sql = `DELETE FROM lanes WHERE session_id = '${store.childId}';
    UPDATE lanes SET state = '{' WHERE session_id = '${store.backgroundId}'`;
  assert.deepEqual(
    (await found(sql)).map((problem) => problem.replace(/ \S+sick\.db.*/, " FILE")),
    [
      "child: P1: the session has a log but no lane",
      "background: P1: its records cannot be read: FILE",
    ],
  );
});
