import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

/** Runs `.ci/run` with an empty PATH: if it tried to start the gate, it would find no program and fail. */
function runCi(argument: string): { code: number | null; out: string; err: string } {
  const file = join(import.meta.dirname, "../../.ci/run");
  const { status, stdout, stderr } = spawnSync("/bin/bash", [file, argument], {
    env: { PATH: "" },
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

test(".ci/run --help prints its help and does not start the gate", () => {
  const { code, out, err } = runCi("--help");
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^\.ci\/run\n\nRuns npm run check on the last commit/);
});

test(".ci/run refuses other arguments", () => {
  const err = 'ci: unknown argument "--fast". For help, run: .ci/run --help\n';
  assert.deepEqual(runCi("--fast"), { code: 2, out: "", err });
});
