import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { endServers, serversIn } from "../support/end-servers.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { openCli } from "./test-cli.ts";

const megabytes = 3;

/** A disk of a few megabytes, in memory. Null if this user may not mount one. */
function openSmallDisk(t: { after(work: () => void): void }): string | null {
  let folder = "";
  // Registered first, because the scratch folder can be removed only after this.
  t.after(() => {
    endServers(folder);
    spawnSync("umount", ["-l", folder]);
  });
  folder = join(scratchFolder(t, "disk"), "small");
  mkdirSync(folder);
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}M`, "tmpfs", folder];
  return spawnSync("mount", options).status === 0 ? folder : null;
}

test("P1 on a full disk, commands report the full disk and no new server starts; after space is freed, work continues", async (t) => {
  const disk = openSmallDisk(t);
  if (disk === null) return t.skip("only root can mount a small disk");
  const cli = openCli(t, { XDG_DATA_HOME: disk });
  assert.equal((await cli.run("run", "say before")).out, "[demo agent] before\n");
  const fill = join(disk, "fill");
  const full = (): void => {
    try {
      writeFileSync(fill, Buffer.alloc(megabytes * 1024 * 1024));
    } catch {
      // The disk is full now.
    }
  };
  full();
  const refused = await cli.run("run", "say full");
  assert.equal(refused.end, 1);
  assert.match(
    refused.err,
    /holdfast: storeFull: there is no disk space left for .*; free some space/,
  );
  // Reading needs no space.
  const [listed, doctor] = await Promise.all([cli.run("sessions"), cli.run("doctor")]);
  assert.equal(listed.end, 0, listed.err);
  assert.match(doctor.out, /^✗ disk +0 MB free at .*\n +fix: free some space/m);
  const stopped = await cli.run("server", "stop");
  assert.equal(stopped.end, 0, stopped.err);
  await waitFor(() => serversIn(disk).length === 0, { describe: "the end of the server" });
  full();
  const unstarted = await cli.run("run", "say still full");
  assert.match(
    unstarted.err,
    /^holdfast: (?:serverStart|storeFull): .*there is no disk space left/m,
  );
  rmSync(fill);
  assert.equal((await cli.run("run", "say after")).out, "[demo agent] after\n");
  return undefined;
});
