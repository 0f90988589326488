import { lstatSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { stat, statfs } from "node:fs/promises";

// To look at a file on a disk of this machine takes a few microseconds, far less than to let another
// thread do it. Over a network it may take for ever, and nothing else would be done meanwhile.

/** File systems of local disks, by Linux's numbers: ext, xfs, btrfs, zfs, tmpfs, overlay. */
const localTypes = new Set([
  0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0x2f_c1_2f_c1, 0x01_02_19_94, 0x79_4c_76_30,
]);

/** Whether all of these folders are on a disk of this machine, as far as is known. */
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

/** What is at a path; null for nothing. `isQuick`: its folder is on a local disk. */
export async function look(path: string, isQuick: boolean): Promise<BigIntStats | null> {
  const found = isQuick ? lookNow(path) : undefined;
  return found === undefined ? stat(path, { bigint: true }).catch(() => null) : found;
}

/** Undefined for a link, which may lead to another disk. */
function lookNow(path: string): BigIntStats | null | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found?.isSymbolicLink() === true ? undefined : (found ?? null);
  } catch {
    return null;
  }
}
