import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { StoreError } from "../store-error.ts";

/** The connection that needs a password. */
export interface PasswordTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * Returns the password for a connection from PostgreSQL's password file
 * (https://www.postgresql.org/docs/current/libpq-pgpass.html).
 */
export async function readPasswordFile(
  target: PasswordTarget,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const file = passwordFile(environment);
  const text = await readPrivate(file);
  const password = text === null ? null : findPassword(text, target);
  if (password !== null) return password;
  const { host, port, database, user } = target;
  throw new StoreError(
    "storeInvalid",
    `the database asks for the password of ${user}, and there is none; set PGPASSWORD, or add this line to ` +
      `${file}: ${host}:${port}:${database}:${user}:PASSWORD`,
  );
}

/** Returns the password of the first line that matches the connection. */
export function findPassword(text: string, target: PasswordTarget): string | null {
  const wanted = [target.host, String(target.port), target.database, target.user];
  for (const line of text.split(/\r?\n/)) {
    const fields = lineFormat.exec(line)?.slice(1).map(unescape) ?? [];
    const password = fields.pop();
    if (password === undefined) continue;
    if (fields.every((field, place) => field === "*" || field === wanted[place])) return password;
  }
  return null;
}

/** Format of a line: host:port:database:user:password. A backslash escapes a colon or a backslash. */
const lineFormat = /^((?:\\.|[^\\:])+):((?:\\.|[^\\:])+):((?:\\.|[^\\:])+):((?:\\.|[^\\:])+):(.+)$/;

function unescape(field: string): string {
  return field.replaceAll(/\\([\\:])/g, "$1");
}

function passwordFile({ PGPASSFILE = "", APPDATA = "" }: NodeJS.ProcessEnv): string {
  if (PGPASSFILE !== "") return PGPASSFILE;
  if (process.platform === "win32") return join(APPDATA, "postgresql", "pgpass.conf");
  return join(homedir(), ".pgpass");
}

/** Returns the text of the file, or null if there is none. A file that other users can read is refused. */
async function readPrivate(file: string): Promise<string | null> {
  try {
    const { mode } = await stat(file);
    if (process.platform === "win32" || (mode & 0o077) === 0) return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new StoreError("storeInvalid", `the password file ${file} cannot be read`, error);
  }
  throw new StoreError(
    "storeInvalid",
    `other users can read the password file ${file}, so it is not used; run: chmod 600 ${file}`,
  );
}
