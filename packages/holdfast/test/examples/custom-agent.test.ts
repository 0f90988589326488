import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

test("the example's agent runs, and a prompt sent twice runs once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-example-test-"));
  const example = join(import.meta.dirname, "../../../../examples/custom-agent.ts");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [example], {
    env: { ...process.env, TMPDIR: folder },
  });
  rmSync(folder, { recursive: true });
  assert.deepEqual(
    { stdout, stderr },
    {
      stdout: '4 words in "never lose a prompt"\ncompleted in a run\nledger: first completed\n',
      stderr: "",
    },
  );
});
