import { lstatSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { stat, statfs } from "node:fs/promises";

// A synchronous stat on a local disk takes microseconds, much less than a stat in the thread pool. On a network disk
// it could block the whole process without limit.

/** Linux magic numbers of local file systems: ext, xfs, btrfs, zfs, tmpfs, overlay. */
const localTypes = new Set([
  0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0x2f_c1_2f_c1, 0x01_02_19_94, 0x79_4c_76_30,
]);

/** True if all folders are known to be on local disks. */
export async function areOnLocalDisk(folders: readonly string[]): Promise<boolean> {
  const found = await Promise.all(folders.map(isOnLocalDisk));
  return found.every(Boolean);
}

function isOnLocalDisk(folder: string): Promise<boolean> {
  return statfs(folder).then(
    ({ type }) => localTypes.has(type),
    () => false,
  );
}

/**
 * Returns the stats of a path; null if it does not exist. `isQuick`: the path is on a local disk, so stat
 * synchronously.
 */
export async function look(path: string, isQuick: boolean): Promise<BigIntStats | null> {
  const found = isQuick ? statNow(path) : undefined;
  return found === undefined ? stat(path, { bigint: true }).catch(() => null) : found;
}

/** Returns undefined for a link, because its target may be on another disk. */
function statNow(path: string): BigIntStats | null | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found?.isSymbolicLink() === true ? undefined : (found ?? null);
  } catch {
    return null;
  }
}
