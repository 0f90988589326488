import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Serving, TestCli } from "../test-cli.ts";

/** Writes a backup, which `restore` uses. */
export async function backUp(cli: TestCli): Promise<void> {
  const { end, err } = await cli.run("store", "backup", join(cli.folder, "backup.db"));
  assert.equal(end, 0, err);
}

/** Kills the server and starts another one at the same address, with the backup. */
export async function restore(
  cli: TestCli,
  { running, port }: Serving,
  steps: {
    readonly whileAway?: () => Promise<unknown>;
    /** Called with the backup in place, before the server starts. */
    readonly beforeStart?: () => Promise<unknown>;
  } = {},
): Promise<Serving> {
  running.process.kill("SIGKILL");
  await running.ended;
  await steps.whileAway?.();
  for (const suffix of ["-wal", "-shm"]) rmSync(`${cli.store}${suffix}`, { force: true });
  copyFileSync(join(cli.folder, "backup.db"), cli.store);
  await steps.beforeStart?.();
  return cli.serve(port);
}
