import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/**
 * Free memory in bytes that is required to keep files in memory. A test run uses about a quarter of it for databases
 * and browser profiles.
 */
const room = 6 * 1024 ** 3;

/**
 * Creates a folder for the temporary files of one test run. It is in memory if there is room,
 * because tests check the code and not the disk.
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
  // Make the folder writable for all users, because the test database does not run as root.
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

/** Whether files in the folder can be executed. Containers often forbid this in /dev/shm, which is in memory. */
function canExecute(folder: string): boolean {
  const file = join(folder, "execute.sh");
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(file);
  rmSync(file);
  return status === 0;
}
