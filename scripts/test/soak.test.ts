import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { scratchFolder } from "../../packages/holdfast/test/support/scratch-folder.ts";
import { waitFor } from "../../packages/holdfast/test/support/wait-for.ts";

test("Ctrl-C during the soak test leaves no folder", async (t) => {
  const folder = scratchFolder(t, "tmpdir");
  const words = ["scripts/soak.ts", "--store", "sqlite", "--tries", "0"];
  // In a process group of its own: a terminal sends Ctrl-C to all processes of the group.
  const soak = spawn(process.execPath, words, {
    env: { ...process.env, TMPDIR: folder },
    detached: true,
    stdio: "ignore",
  });
  const ended = once(soak, "exit");
  await waitFor(() => globSync("**/holdfast.db", { cwd: folder }).length > 0, {
    describe: "the database of the soak test",
  });
  process.kill(-(soak.pid ?? 0), "SIGINT");
  await ended;
  assert.deepEqual(readdirSync(folder), []);
});
