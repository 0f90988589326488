import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Runs `work` while holding a lock file, so that only one process does it at a time.
 * A lock whose process is gone is taken over.
 * @param {string} path
 * @param {() => void | Promise<void>} work
 */
export async function withLock(path, work) {
  while (!tryLock(path)) await delay(200);
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * @param {string} path
 * @returns {boolean}
 */
function tryLock(path) {
  // Linking a finished file is atomic: another process never reads a lock without an owner.
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(mine, { force: true });
  }
  if (isAlive(holder(path))) return false;
  rmSync(path, { force: true });
  return tryLock(path);
}

/** @param {string} path */
function holder(path) {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if (isCode(error, "ENOENT")) return process.pid;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
}
