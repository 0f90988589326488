import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kill, processesWith } from "../../../../src/agent/tools/processes.ts";
import { startCommand } from "../../../cli/test-cli.ts";
import { program } from "../../../support/program.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { isAlive } from "../world.ts";
import type { Vendor } from "./vendor.ts";

/** A Holdfast server in its own process, with its own home folder, that hosts one agent. */
export interface VendorServer {
  readonly url: string;
  readonly token: string;
  readonly data: string;
  /** Changes the agent's config: its next process gets the variable HOLDFAST_TEST_CONFIG with this value. */
  configure(value: string): void;
  /** Main processes of the agent, with the value of HOLDFAST_TEST_CONFIG in their environment. */
  agents(): Promise<readonly { readonly pid: number; readonly config: string }[]>;
  /** All processes of the agent. */
  processes(): Promise<readonly number[]>;
  /** Command lines of all processes that the server or the agent has started, found by their environment or arguments. */
  left(): Promise<readonly string[]>;
  /** Kills all processes of the agent. */
  killAgent(): Promise<void>;
  /** Kills only the main process of the agent. */
  killMain(): Promise<void>;
  /** Kills the server, and waits for the end of the agent. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
}

export interface ServerOptions {
  readonly vendor: Vendor;
  readonly command: readonly string[];
  /** More agents of the directory. With them, Holdfast's own agent uses the scripted model. */
  readonly others?: readonly { readonly vendor: Vendor; readonly command: readonly string[] }[];
  /** Folder for the data of the server. */
  readonly folder: string;
  /** Home folder of the server and of the agent. */
  readonly home: string;
  /** The directory of the sessions. */
  readonly directory: string;
  /** Address of the scripted model. */
  readonly model: string;
  /** More options of `holdfast serve`. */
  readonly words?: readonly string[];
}

const mark = "HOLDFAST_TEST_WORLD";

export async function startVendorServer(options: ServerOptions): Promise<VendorServer> {
  const { vendor, command, others = [], folder, home, directory, model, words = [] } = options;
  mkdirSync(folder, { recursive: true });
  const settings = join(home, ".config", "holdfast");
  mkdirSync(settings, { recursive: true });
  const configure = (value: string): void => {
    const hosted = [{ vendor, command }, ...others].map((each) => {
      const own = each.vendor.environment({ home, directory, model });
      const env = { ...own, HOME: home, [mark]: folder, HOLDFAST_TEST_CONFIG: value };
      return [each.vendor.name, { acp: { command: each.command, env } }] as const;
    });
    const config = { agent: vendor.name, agents: Object.fromEntries(hosted) };
    writeFileSync(join(settings, "config.jsonc"), JSON.stringify(config));
  };
  configure("1");
  const ownModel =
    options.others === undefined
      ? {}
      : { HOLDFAST_BASE_URL: `${model}/v1`, HOLDFAST_MODEL: "local/scripted" };
  const data = join(folder, "data");
  const open = async (port: string) => {
    const started = startCommand([program, "serve", "--port", port, "--data", data, ...words], {
      folder,
      environment: {
        HOME: home,
        XDG_CONFIG_HOME: join(home, ".config"),
        HOLDFAST_LOG: "silent",
        HOLDFAST_AGENT: "",
        ...ownModel,
      },
      timeLimit: 0,
    });
    const [, url = ""] = await started.matched(/listening at (\S+)/);
    await started.printed("Ctrl-C stops the server");
    return { started, url };
  };
  let { started, url } = await open("0");
  const processes = async (): Promise<readonly number[]> =>
    (await processesWith(`${mark}=${folder}`)).map(({ pid }) => pid).filter(isAlive);
  const left = async (): Promise<readonly string[]> => {
    const marked = [
      ...(await processesWith(`HOME=${home}`)),
      ...(await processesWith(`${mark}=${folder}`)),
    ];
    const named = readdirSync("/proc").filter((pid) =>
      read(`/proc/${pid}/cmdline`).includes(directory),
    );
    const pids = new Set([...marked.map(({ pid }) => pid), ...named.map(Number)]);
    pids.delete(started.process.pid ?? 0);
    return [...pids]
      .filter(isAlive)
      .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " "));
  };
  const agents = async () =>
    (await processes())
      .filter((pid) => parentOf(pid) === started.process.pid)
      .map((pid) => ({ pid, config: variableOf(pid, "HOLDFAST_TEST_CONFIG") }));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    started.process.kill(signal);
    await started.ended;
    await waitFor(processes, {
      describe: "the end of the agent with its server",
      until: ({ length }) => length === 0,
    });
  };
  return {
    url,
    token: readFileSync(join(data, "token"), "utf8").trim(),
    data,
    configure,
    agents,
    processes,
    killAgent: async () => {
      const before = await processes();
      for (const pid of before) kill(pid);
      await waitFor(() => before.filter(isAlive), {
        describe: "the end of the agent",
        until: ({ length }) => length === 0,
      });
    },
    left,
    killMain: async () => {
      for (const { pid } of await agents()) kill(pid);
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    start: async () => {
      ({ started, url } = await open(new URL(url).port));
    },
  };
}

function parentOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

function variableOf(pid: number, name: string): string {
  const entries = read(`/proc/${pid}/environ`).split("\0");
  return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Reads a file of a process, which may have just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
