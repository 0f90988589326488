import { takeFileLock } from "../../base/file-lock.ts";
import type { FileLock } from "../../base/file-lock.ts";
import { StoreError } from "../store-error.ts";
import { storeErrorOf } from "./errors.ts";

/**
 * Makes this process the only owner of a database, with a lock on a separate file. Other processes can still read the
 * database.
 */
export function takeOwnerLock(file: string): FileLock {
  const lock = takeLock(`${file}-lock`);
  if (lock !== null) return lock;
  throw new StoreError(
    "storeOwned",
    `another Holdfast process is using ${file}; send requests to it, or stop it and try again`,
  );
}

/** Locks a file. Returns null if another process has the lock. Throws a StoreError if the file cannot be locked. */
export function takeLock(lockFile: string): FileLock | null {
  try {
    return takeFileLock(lockFile);
  } catch (error) {
    throw storeErrorOf(error, lockFile);
  }
}
