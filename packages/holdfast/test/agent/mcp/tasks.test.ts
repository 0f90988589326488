import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sleep } from "../../../src/base/time.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { McpRequest } from "../../../src/agent/mcp/server-tool.ts";
import { callAsTask } from "../../../src/agent/mcp/task-call.ts";
import { mcpBench } from "./bench.ts";

test("a tool that can only run as a task is started, polled, and cancelled with its call", async (t) => {
  const { open, call, config, progress } = mcpBench(t);
  const log = join(scratchFolder(t, "tasks"), "log");
  writeFileSync(log, "");
  const logged = (): string => readFileSync(log, "utf8");
  const server = await open(config("tasks.ts", log));
  assert.deepEqual(
    server.tools().map(({ name }) => name),
    ["box_build", "box_break", "box_wait"],
  );
  assert.deepEqual(await call(server, "build"), { status: "completed", output: "built" });
  assert.match(progress.join(""), /half of it/);
  assert.match(logged(), /poll/);
  const broken = await call(server, "break");
  assert.deepEqual([broken.status, broken.output], ["failed", "no compiler"]);

  const stop = new AbortController();
  const waiting = call(server, "wait", { context: { signal: stop.signal } });
  const polls = logged().length;
  await waitFor(logged, { describe: "a poll of the task", until: (text) => text.length > polls });
  stop.abort();
  assert.match((await waiting).output, /run stopped/);
  await waitFor(logged, {
    describe: "a cancelled task",
    until: (text) => text.includes("cancelled"),
  });
});

/** Answers like a server with one task of this status. `tasks/result` takes longer than the task may work. */
function taskServer(status: "working" | "input_required"): { sent: string[]; request: McpRequest } {
  const sent: string[] = [];
  const task = { taskId: "t1", status, pollInterval: 50 };
  const request: McpRequest = async (method, { result, signal }) => {
    sent.push(method);
    if (method === "tools/call") return result.parse({ task });
    if (method === "tasks/get") return result.parse(task);
    await sleep(maxTime * 3, { signal });
    return result.parse({ content: [{ type: "text", text: "built" }] });
  };
  return { sent, request };
}

const maxTime = 20;

test("the time limit of a task does not run while a person answers", async () => {
  const { sent, request } = taskServer("input_required");
  const { signal } = new AbortController();
  const { content } = await callAsTask(request, { params: {}, signal, maxTime });
  assert.deepEqual(content, [{ type: "text", text: "built" }]);
  assert.deepEqual(sent, ["tools/call", "tasks/result"]);
});

test("a task that works longer than its time limit is cancelled", async () => {
  const { sent, request } = taskServer("working");
  const { signal } = new AbortController();
  const call = callAsTask(request, { params: {}, signal, maxTime });
  await assert.rejects(call, { message: "the task did not end within 0.02 s" });
  assert.deepEqual([sent[0], sent.at(-1)], ["tools/call", "tasks/cancel"]);
});
