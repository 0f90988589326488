import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { needsSandbox } from "../../support/needs-sandbox.ts";

const problem = "no process can be started, because too many files are open; raise `ulimit -n`";

test(
  "a process with too many open files cannot start other processes, and continues",
  needsSandbox,
  () => {
    const file = join(import.meta.dirname, "open-files-process.ts");
    const { status, stdout, stderr } = spawnSync(
      "sh",
      ["-c", 'ulimit -n 128; exec "$0" "$1"', process.execPath, file],
      { encoding: "utf8", timeout: 60_000 },
    );
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      results: [
        problem,
        `Error: the server cannot be started: ${problem}`,
        `AgentGone: ${problem}`,
        `Error: ${problem}`,
      ],
      sandbox: "started",
    });
  },
);
