import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { makeFolder, queryOnce, serverUser } from "./postgres.ts";
import { waitFor } from "./wait-for.ts";

export type PoolMode = "session" | "transaction" | "statement";

export interface PgBouncer {
  readonly port: number;
  stop(): Promise<void>;
}

/** The text to show if PgBouncer is missing; null if it is installed. */
export function missingPgBouncer(): string | null {
  if (spawnSync(program, ["--version"], { env: withSystemPrograms() }).error === undefined)
    return null;
  return "PgBouncer is not installed. Run: apt-get install pgbouncer";
}

/**
 * Starts PgBouncer with its own defaults in front of a PostgreSQL server on the loopback interface. Only the number of
 * connections is higher, and it notices a restarted database after one second instead of 15.
 */
export async function startPgBouncer(options: {
  /** Port of PostgreSQL. */
  target: number;
  mode: PoolMode;
}): Promise<PgBouncer> {
  const user = serverUser();
  const folder = makeFolder(user);
  const port = await freePort();
  const users = join(folder, "users.txt");
  const config = join(folder, "pgbouncer.ini");
  const log = join(folder, "log");
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${options.target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${options.mode}
max_client_conn = 200
default_pool_size = 60
server_login_retry = 1
`,
  );
  const shell = spawn("sh", ["-c", script, "sh", program, config, log, folder], {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true,
    cwd: folder,
    env: withSystemPrograms(),
    ...user,
  });
  const ended = once(shell, "exit");
  const isReady = async (): Promise<boolean> => {
    if (shell.exitCode !== null)
      throw new Error(`PgBouncer did not start: ${readFileSync(log, "utf8")}`);
    const answer = queryOnce(`postgres://postgres@127.0.0.1:${port}/postgres`, "SELECT");
    return answer.then(
      () => true,
      () => false,
    );
  };
  await waitFor(isReady, { describe: "PgBouncer to answer" });
  return {
    port,
    stop: async () => {
      shell.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const program = "pgbouncer";

/** The shell ends PgBouncer when its input ends, so it never outlives the process that started it. */
const script = `
  "$1" "$2" >"$3" 2>&1 &
  pooler=$!
  read -r _
  kill -KILL $pooler
  wait $pooler
  rm -rf "$4"
`;

/** Debian installs PgBouncer in /usr/sbin, which is not in everyone's PATH. */
function withSystemPrograms(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` };
}
