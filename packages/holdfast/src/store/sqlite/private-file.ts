import { closeSync, existsSync, openSync } from "node:fs";

/**
 * Makes a database's file for its owner alone, before SQLite makes it as the umask says; what SQLite
 * puts beside it gets the same mode. One that is there is left alone: closing it here would drop the
 * locks that this process has on it.
 */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It is there by now, or can't be made: SQLite will say why.
  }
}
