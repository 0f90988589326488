import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
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
