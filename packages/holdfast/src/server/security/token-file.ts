import { chmodSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import type { Stats } from "node:fs";
import { SetupError } from "../setup-error.ts";
import { tokenIdOf } from "./token.ts";

/** Reads the secret from a token file; null if there is no file. Throws if other users can read the file. */
export function readTokenFile(file: string): string | null {
  const stats = statsOf(file);
  if (stats === null) return null;
  if (!stats.isFile())
    throw new SetupError("unsafeFile", `${file} is not a regular file; remove it`);
  expectOwn(file, stats);
  if (isPosix && (stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8);
    const advice = "remove it, so that the server creates a new token, and revoke the old one";
    throw new SetupError("unsafeFile", `${file} can be read by others (mode ${mode}); ${advice}`);
  }
  const secret = readFileSync(file, "utf8").trim();
  if (tokenIdOf(secret) === null)
    throw new SetupError("unsafeFile", `${file} does not contain a token; remove the file`);
  return secret;
}

/** Creates the folder for tokens and sessions, or changes its mode, so that no other user can read it. */
export function keepPrivateFolder(folder: string): void {
  const stats = statsOf(folder);
  if (stats === null) {
    mkdirSync(folder, { mode: 0o700 });
    return;
  }
  if (!isPosix || stats.isSymbolicLink()) return;
  expectOwn(folder, stats);
  if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

const isPosix = process.platform !== "win32";

function expectOwn(path: string, stats: Stats): void {
  if (!isPosix || stats.uid === process.getuid?.()) return;
  throw new SetupError(
    "unsafeFile",
    `${path} belongs to another user; name another folder with --data`,
  );
}

function statsOf(file: string): Stats | null {
  return lstatSync(file, { throwIfNoEntry: false }) ?? null;
}
