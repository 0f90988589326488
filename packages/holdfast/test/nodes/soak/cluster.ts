import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../../cli/test-cli.ts";
import type { Running } from "../../cli/test-cli.ts";
import { startProxy } from "../../store/postgres-chaos/proxy.ts";
import { startPgBouncer } from "../../support/pgbouncer.ts";
import { startPostgres } from "../../support/postgres.ts";
import type { PostgresServer } from "../../support/postgres.ts";
import { program, sourceProgram } from "../../support/program.ts";

/** Servers on one database, each in a separate process, started as users start them. */
export interface Cluster {
  /** URL of the database itself, without a proxy. */
  readonly url: string;
  /** Directory of the sessions, which all nodes share. */
  readonly directory: string;
  readonly nodes: readonly ClusterNode[];
  /** Last output of nodes that ended by themselves. */
  readonly ended: readonly string[];
  readonly database: PostgresServer;
  close(): Promise<void>;
}

export interface ClusterNode {
  /** Null while the node is not running. */
  address(): { readonly url: string; readonly token: string } | null;
  /** Starts the node, as another release if the module of that release is given. Fails if the node ends. */
  start(release?: string): Promise<void>;
  /** Kills the node with SIGKILL. */
  kill(): Promise<void>;
  /** Freezes the process (SIGSTOP) until the returned function is called. */
  freeze(): () => void;
  /** Breaks all connections of the node to the database. */
  cut(): void;
  /** Asks the node to end, and waits for its end. */
  drain(): Promise<void>;
}

export async function openCluster(options: {
  nodes: number;
  lease: string;
  /** True: a node that ended by itself is started again. */
  restarts?: boolean;
  /** Connect the nodes through PgBouncer in session mode. */
  pgbouncer?: boolean;
  /** Backup of another cluster, which no longer exists. This cluster works on the copy, in the same directory. */
  backup?: { files: string; of: Pick<Cluster, "url" | "directory"> };
}): Promise<Cluster> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-nodes-")));
  const { files, of } = options.backup ?? {};
  const directory = of?.directory ?? join(root, "project");
  mkdirSync(directory, { recursive: true });
  const database = await startPostgres({
    durable: true,
    ...(files === undefined ? {} : { backup: files }),
  });
  const closers: (() => Promise<unknown>)[] = [() => database.stop()];
  const url =
    of === undefined
      ? await database.createDatabase()
      : of.url.replace(/:\d+\//, `:${database.port}/`);
  const pooler =
    options.pgbouncer === true
      ? await startPgBouncer({ target: database.port, mode: "session" })
      : null;
  if (pooler !== null) closers.push(() => pooler.stop());
  const nodes: ClusterNode[] = [];
  const ended: string[] = [];
  for (let index = 0; index < options.nodes; index += 1) {
    const proxy = await startProxy(pooler?.port ?? database.port);
    closers.push(() => proxy.close());
    const store = url.replace(`:${database.port}/`, `:${proxy.port}/`);
    const folder = join(root, `node${index}`);
    mkdirSync(folder);
    const node = createNode({
      folder,
      store,
      lease: options.lease,
      cut: () => proxy.cutAll(),
      onEnd: (words) => {
        ended.push(`node ${index} ended by itself: ${words}`);
        if (options.restarts === true) void node.start();
      },
    });
    closers.push(() => node.kill());
    nodes.push(node);
  }
  return {
    url,
    directory,
    nodes,
    ended,
    database,
    close: async () => {
      for (const close of closers.toReversed()) await close();
      rmSync(root, { recursive: true });
    },
  };
}

export function createNode(options: {
  folder: string;
  store: string;
  lease: string;
  cut: () => void;
  onEnd: (words: string) => void;
}): ClusterNode {
  const { folder, store, lease, cut, onEnd } = options;
  let running: { command: Running; url: string; token: string } | null = null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const { command } = running ?? {};
    running = null;
    command?.process.kill(signal);
    await command?.ended;
  };
  const watch = async (command: Running): Promise<void> => {
    const { end: how, err } = await command.ended;
    if (running?.command !== command) return;
    running = null;
    onEnd(`${how} ${err.slice(-2_000)}`);
  };
  return {
    address: () => running,
    start: async (release) => {
      const bin = release === undefined ? program : sourceProgram;
      const words = ["--store", store, "--lease", lease, "--deadline", "200ms"];
      const command = startCommand([bin, "serve", "--port", "0", "--data", folder, ...words], {
        folder,
        environment: {
          HOLDFAST_LOG: "silent",
          ...(release === undefined ? {} : { NODE_OPTIONS: `--import=${release}` }),
        },
        timeLimit: 0,
      });
      const [, address = ""] = await command.matched(/listening at (\S+)/);
      await command.printed("Ctrl-C stops the server");
      const token = readFileSync(join(folder, "token"), "utf8").trim();
      running = { command, url: address, token };
      void watch(command);
    },
    kill: () => end("SIGKILL"),
    freeze: () => {
      const child = running?.command.process;
      child?.kill("SIGSTOP");
      return () => void child?.kill("SIGCONT");
    },
    cut,
    drain: () => end("SIGTERM"),
  };
}
