import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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
export function openScratch(): Scratch {
  if (!isRoomy()) return makeScratch(tmpdir());
  const scratch = makeScratch(memory);
  if (canExecute(scratch.folder)) return scratch;
  scratch.remove();
  return makeScratch(tmpdir());
}

export interface Scratch {
  readonly folder: string;
  remove(): void;
}

/** Creates a folder for temporary files in the given folder. */
export function makeScratch(parent: string): Scratch {
  const folder = mkdtempSync(join(parent, "holdfast-tests-"));
  // Make the folder writable for all users, because the test database does not run as root.
  chmodSync(folder, 0o1777);
  return {
    folder,
    remove: () => {
      // `rmSync` leaves the folder, without an error, if another process deletes a file at the same moment.
      for (let left = 10; left > 0 && existsSync(folder); left -= 1)
        rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
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
