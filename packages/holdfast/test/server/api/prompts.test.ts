import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../../src/contract/receipt.ts";
import { openTestServer } from "./test-server.ts";

test("P1 P4 a prompt is answered when it is committed, and can be waited for over a socket", async (t) => {
  const { place, askSocket } = await openTestServer(t);
  const held = await place.first.holdBack("prompt.accept");
  const sent = askSocket("POST", "/v1/sessions/main/prompts", {
    body: { promptId: "a", text: "hello" },
  });
  await held.arrived;
  const early = await askSocket("GET", "/v1/sessions/main/prompts/a");
  assert.deepEqual([early.status, early.code], [404, "unknownPrompt"]);
  held.release();
  const accepted = await sent;
  assert.equal(accepted.status, 202);
  assert.deepEqual(
    [accepted.json.promptId, accepted.json.text, accepted.json.actor, accepted.json.outcome],
    ["a", "hello", { kind: "client", id: "local" }, null],
  );

  const waited = askSocket("GET", "/v1/sessions/main/prompts/a?wait=20");
  const run = await place.puppets.next();
  await run.finish("hello yourself");
  const settled = await waited;
  assert.deepEqual(
    [settled.status, settled.json.status, settled.json.result, settled.json.outcome.status],
    [200, "settled", "hello yourself", "completed"],
  );
  const again = await askSocket("GET", "/v1/sessions/main/prompts/a");
  assert.deepEqual(again.json, settled.json);
});

test("P3 a repeated prompt gets the same answer; other content with its id is refused", async (t) => {
  const { place, ask } = await openTestServer(t);
  const prompt = { promptId: "a", text: "hello", budget: { tokens: 10 } };
  const first = await ask("POST", "/v1/sessions/main/prompts", { body: prompt });
  const run = await place.puppets.next();
  const second = await ask("POST", "/v1/sessions/main/prompts", { body: prompt });
  assert.deepEqual([first.status, second.status], [202, 202]);
  assert.deepEqual(second.json, { ...first.json, status: "running", runId: run.context.runId });
  const other = await ask("POST", "/v1/sessions/main/prompts", {
    body: { ...prompt, text: "goodbye" },
  });
  assert.deepEqual([other.status, other.code], [409, "conflict"]);
  await run.finish();
  await place.outcome("a");
  const third = await ask("POST", "/v1/sessions/main/prompts", { body: prompt });
  assert.deepEqual([third.status, third.json.result], [200, "the answer"]);
  assert.deepEqual(place.puppets.begun, ["a"]);
});

test("effort and thinking are part of the prompt: the agent gets them, its entry shows them (P3)", async (t) => {
  const { place, ask } = await openTestServer(t);
  const prompt = { promptId: "a", text: "hello", effort: "high", thinking: true };
  const sent = await ask("POST", "/v1/sessions/main/prompts", { body: prompt });
  assert.deepEqual([sent.status, sent.json.effort, sent.json.thinking], [202, "high", true]);
  const run = await place.puppets.next();
  const [given] = run.context.prompts;
  assert.deepEqual([given?.effort, given?.thinking], ["high", true]);
  const other = await ask("POST", "/v1/sessions/main/prompts", {
    body: { ...prompt, effort: "low" },
  });
  assert.deepEqual([other.status, other.code], [409, "conflict"]);
  const wrong = await ask("POST", "/v1/sessions/main/prompts", {
    body: { promptId: "b", text: "hello", effort: "much" },
  });
  assert.deepEqual([wrong.status, wrong.code], [400, "invalid"]);
  await run.finish();
  await place.outcome("a");
  const { json } = await ask("GET", "/v1/sessions/main/messages");
  assert.deepEqual([json.items[0].effort, json.items[0].thinking], ["high", true]);
});

test("P7 a message without reply is settled at once", async (t) => {
  const { ask } = await openTestServer(t);
  const body = { promptId: "note", text: "by the way", reply: false };
  const sent = await ask("POST", "/v1/sessions/main/prompts", { body });
  assert.deepEqual([sent.status, sent.json.status, sent.json.reply], [200, "settled", false]);
  const { json } = await ask("GET", "/v1/sessions/main/messages");
  assert.deepEqual(
    json.items.map(({ role, text }: { role: string; text: string }) => [role, text]),
    [["user", "by the way"]],
  );
});

test("C6 L2 queued prompts are edited by revision, moved and promoted", async (t) => {
  const { place, ask } = await openTestServer(t);
  for (const promptId of ["a", "b", "c"]) {
    await ask("POST", "/v1/sessions/main/prompts", { body: { promptId, text: promptId } });
  }
  const run = await place.puppets.next();
  const edit = (revision: number, text: string) =>
    ask("PATCH", "/v1/sessions/main/prompts/b", { body: { text, revision } });
  const edited = await edit(1, "better");
  assert.deepEqual([edited.status, edited.json.text, edited.json.revision], [200, "better", 2]);
  const stale = await edit(1, "worse");
  assert.deepEqual(
    [stale.status, stale.code, stale.json.error.details],
    [409, "staleRevision", { revision: 2 }],
  );
  const started = await ask("PATCH", "/v1/sessions/main/prompts/a", {
    body: { text: "late", revision: 1 },
  });
  assert.equal(started.status, 409);

  const order = async (): Promise<string[]> => {
    const { json } = await ask("GET", "/v1/sessions/main");
    return json.queue.map(({ promptId }: { promptId: string }) => promptId);
  };
  assert.deepEqual(await order(), ["b", "c"]);
  await ask("POST", "/v1/sessions/main/prompts/c/move", { body: { before: "b" } });
  assert.deepEqual(await order(), ["c", "b"]);
  await ask("POST", "/v1/sessions/main/prompts/b/promote");
  await run.stopped;
  run.end();
  const next = await place.puppets.next();
  assert.deepEqual(
    next.context.prompts.map(({ promptId, text }) => [promptId, text]),
    [["b", "better"]],
  );
  await next.finish();
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["a", "b", "c"]), [
    "cancelled: promoted",
    "completed",
    "completed",
  ]);
});

test("C1 C4 C6 cancel, withdraw and clear return receipts, the same when repeated", async (t) => {
  const { place, ask } = await openTestServer(t);
  const send = (promptId: string) =>
    ask("POST", "/v1/sessions/main/prompts", { body: { promptId, text: promptId } });
  for (const promptId of ["a", "b", "c", "d"]) await send(promptId);
  const run = await place.puppets.next();

  const withdrawn = await ask("DELETE", "/v1/sessions/main/prompts/b?cancelId=w1");
  assert.deepEqual([withdrawn.status, covered(withdrawn.json)], [200, [["b", "queued"]]]);
  const cleared = await ask("POST", "/v1/sessions/main/queue/clear", {
    body: { cancelId: "q1" },
  });
  assert.deepEqual(covered(cleared.json), [
    ["c", "queued"],
    ["d", "queued"],
  ]);
  await send("e");
  const mark = (await ask("GET", "/v1/sessions/main/prompts/a")).json.acceptSeq;
  const body = { cancelId: "x1", upTo: mark };
  const cancelled = await ask("POST", "/v1/sessions/main/cancel", { body });
  assert.deepEqual([cancelled.json.mark, covered(cancelled.json)], [mark, [["a", "running"]]]);
  const again = await ask("POST", "/v1/sessions/main/cancel", { body });
  assert.deepEqual(again.json, cancelled.json);
  await run.stopped;
  run.end();
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["a", "b", "c", "d", "e"]), [
    "cancelled: sessionCancel",
    "cancelled: promptCancel",
    "cancelled: queueCleared",
    "cancelled: queueCleared",
    "completed",
  ]);
  const idle = await ask("POST", "/v1/sessions/main/cancel");
  assert.deepEqual([idle.status, idle.json.covered, idle.json.mark], [200, [], null]);
});

test("P4 prompts are listed page by page, even of a deleted session", async (t) => {
  const { place, ask } = await openTestServer(t);
  for (const promptId of ["a", "b", "c"]) {
    await ask("POST", "/v1/sessions/main/prompts", { body: { promptId, text: promptId } });
  }
  await place.puppets.next();
  const removed = await ask("DELETE", "/v1/sessions/main");
  assert.deepEqual([removed.status, removed.json.status], [200, "deleted"]);
  assert.equal((await ask("DELETE", "/v1/sessions/main")).status, 200);
  const first = await ask("GET", "/v1/sessions/main/prompts?limit=2");
  const second = await ask("GET", `/v1/sessions/main/prompts?limit=2&after=${first.json.cursor}`);
  assert.deepEqual(
    [...first.json.items, ...second.json.items].map(({ promptId, outcome }) => [
      promptId,
      outcome?.reason,
    ]),
    [
      ["a", "deleted"],
      ["b", "deleted"],
      ["c", "deleted"],
    ],
  );
  assert.equal(second.json.cursor, null);
  const late = await ask("POST", "/v1/sessions/main/prompts", { body: { text: "more" } });
  assert.deepEqual([late.status, late.code], [410, "deleted"]);
});

function covered({ covered: prompts }: Receipt): string[][] {
  return prompts.map(({ promptId, was }) => [promptId, was]);
}
