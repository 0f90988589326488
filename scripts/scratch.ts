import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/** Databases, browsers' profiles and the like take about a quarter of it at a time. */
const room = 6 * 1024 ** 3;

/**
 * A folder for the temporary files of one test run. It is in memory where there is room: tests are about
 * the code, and not about what a disk costs.
 */
export function openScratch(): { readonly folder: string; remove(): void } {
  const folder = isRoomy() ? makeFolder(memory) : makeFolder(tmpdir());
  if (canExecute(folder)) return { folder, remove: () => removeFolder(folder) };
  removeFolder(folder);
  const onDisk = makeFolder(tmpdir());
  return { folder: onDisk, remove: () => removeFolder(onDisk) };
}

function makeFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, "holdfast-tests-"));
  // As every temporary folder: the database server of the tests does not run as root.
  chmodSync(folder, 0o1777);
  return folder;
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, process.availableMemory()) >= room;
  } catch {
    return false;
  }
}

/** Containers often forbid it there. */
function canExecute(folder: string): boolean {
  const file = join(folder, "execute.sh");
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(file);
  rmSync(file);
  return status === 0;
}
