import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "../server/security/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { rpcAt } from "./rpc.ts";
import type { RpcAnswer } from "./rpc.ts";

type Rpc = ReturnType<typeof rpcAt>;

async function taskWith(rpc: Rpc, taskId: string, status: string): Promise<RpcAnswer["result"]> {
  const { result } = await waitFor(() => rpc("tasks/get", { taskId }), {
    describe: `the task to be ${status}`,
    until: ({ result: task }) => task?.["status"] === status,
  });
  return result;
}

test("P1 a prompt is a task: created, answered through its input, and completed with its result", async (t) => {
  const { url, owner, folder } = await openTestServer(t);
  const rpc = rpcAt(url, owner);
  const { result: listed } = await rpc("tools/list");
  assert.deepEqual(
    listed?.["tools"].map(({ name }: { name: string }) => name),
    [
      "send_prompt",
      "get_prompt",
      "cancel_prompt",
      "list_sessions",
      "read_session",
      "list_attention",
      "answer_ask",
    ],
  );
  for (const { description } of listed?.["tools"] ?? []) assert.match(description, /Example: \{/);
  const directory = join(folder, "a");
  const sent = await rpc("tools/call", {
    name: "send_prompt",
    arguments: { directory, promptId: "p1", text: "ask may I?" },
  });
  const { taskId, resultType } = sent.result ?? {};
  assert.equal(resultType, "task");
  assert.match(taskId, /\/p1$/);
  const waiting = await taskWith(rpc, taskId, "input_required");
  const [askId = ""] = Object.keys(waiting?.["inputRequests"]);
  assert.equal(waiting?.["inputRequests"][askId].method, "elicitation/create");
  const attention = await rpc("tools/call", { name: "list_attention", arguments: {} });
  assert.deepEqual(
    attention.result?.["structuredContent"].asks.map((ask: { askId: string }) => ask.askId),
    [askId],
  );
  const inputResponses = { [askId]: { action: "accept", content: { verdict: "allow" } } };
  const updated = await rpc("tasks/update", { taskId, inputResponses });
  assert.equal(updated.result?.["resultType"], "complete");
  const done = await taskWith(rpc, taskId, "completed");
  assert.equal(done?.["result"].isError, false);
  assert.equal(done?.["result"].structuredContent.status, "completed");
});

test("C6 a cancelled task has a receipt that lists the covered prompts", async (t) => {
  const { url, owner, folder } = await openTestServer(t);
  const rpc = rpcAt(url, owner);
  const call = {
    name: "send_prompt",
    arguments: { directory: join(folder, "a"), text: "ask wait?" },
  };
  const { taskId } = (await rpc("tools/call", call)).result ?? {};
  await taskWith(rpc, taskId, "input_required");
  const { result } = await rpc("tasks/cancel", { taskId });
  const receipt = result?.["_meta"]["holdfast/receipt"];
  assert.deepEqual(
    receipt.covered.map(({ promptId }: { promptId: string }) => promptId),
    [taskId.split("/")[1]],
  );
  await taskWith(rpc, taskId, "cancelled");
});

test("an older client waits inside the tool call, or uses the tasks of its protocol revision", async (t) => {
  const { url, owner, folder } = await openTestServer(t);
  const rpc = rpcAt(url, owner, "legacy");
  const directory = join(folder, "a");
  const simple = await rpc("tools/call", {
    name: "send_prompt",
    arguments: { directory, text: "say hello", wait: 20 },
  });
  assert.equal(simple.result?.["structuredContent"].status, "completed");
  const sent = await rpc("tools/call", {
    name: "send_prompt",
    arguments: { directory, text: "say hello" },
    task: { ttl: 60_000 },
  });
  const { taskId } = sent.result?.["task"] ?? {};
  const result = await rpc("tasks/result", { taskId });
  assert.equal(result.result?.["isError"], false);
  assert.equal((await rpc("tasks/get", { taskId })).result?.["status"], "completed");
});

test("the text of a prompt that is not finished contains the ids and the open asks", async (t) => {
  const { url, owner, folder } = await openTestServer(t);
  const rpc = rpcAt(url, owner, "legacy");
  const call = {
    name: "send_prompt",
    arguments: { directory: join(folder, "a"), promptId: "p1", text: "ask may I?" },
  };
  const { taskId } = (await rpc("tools/call", call)).result?.["structuredContent"] ?? {};
  await taskWith(rpc, taskId, "input_required");
  const [sessionId, promptId] = taskId.split("/");
  const { result } = await rpc("tools/call", {
    name: "get_prompt",
    arguments: { sessionId, promptId },
  });
  const { openAsks } = result?.["structuredContent"] ?? {};
  assert.equal(openAsks.length, 1);
  assert.deepEqual(
    result?.["content"].map(({ text }: { text: string }) => text),
    ["The prompt is running.", JSON.stringify({ sessionId, promptId, openAsks })],
  );
});

test("an unknown task and a wrong input are errors, and change nothing", async (t) => {
  const { url, owner } = await openTestServer(t);
  const rpc = rpcAt(url, owner);
  for (const taskId of ["", "none", "a/b/c", "none/none", "../x/y"]) {
    assert.equal((await rpc("tasks/get", { taskId })).error?.code, -32_602);
  }
  const wrong = await rpc("tools/call", { name: "send_prompt", arguments: { text: "" } });
  assert.equal(wrong.result?.["isError"], true);
  const { result } = await rpc("tools/call", { name: "list_sessions", arguments: {} });
  assert.deepEqual(result?.["structuredContent"].sessions, []);
});
