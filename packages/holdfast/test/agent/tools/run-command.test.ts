import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../../../src/agent/tools/run-command.ts";

test("a command with a time limit longer than the limit of Node's timers runs to its end", async () => {
  const end = await runCommand({
    command: [process.execPath, "--eval", "process.exitCode = 3"],
    directory: import.meta.dirname,
    environment: {},
    signal: new AbortController().signal,
    timeout: 2 ** 31,
    killAfter: 1_000,
    isOurs: null,
    onOutput: () => {},
  });
  assert.deepEqual(end, { kind: "exited", code: 3, signal: null });
});
