import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { createShellTool } from "../../../../src/agent/tools/shell.ts";
import { defaultToolSettings } from "../../../../src/agent/tools/tool.ts";
import type { ToolSettings } from "../../../../src/agent/tools/tool.ts";

/** Fixture for one attack: a project to work in, and places that a command must not reach. */
export interface Field {
  readonly project: string;
  /** A folder outside of the project. */
  readonly outside: string;
  /** The home folder of the user. */
  readonly home: string;
  /** Holdfast's data folder. */
  readonly data: string;
  /** Does not exist unless an attack has run a program outside of the sandbox. */
  readonly proof: string;
  readonly secret: string;
  /** Runs a command as the shell tool does, and returns its output. */
  run(command: string): Promise<string>;
  /** Runs git in the project as its user would later, outside of the sandbox. */
  git(...words: readonly string[]): void;
  /** Listens outside of the sandbox. Returns whether a client connected. */
  listen(address: string | null): Promise<{ port: number; wasReached: () => boolean }>;
  /** Starts a process outside of the sandbox, with the secret in its environment. */
  neighbour(): number;
}

export async function withField<Result>(work: (field: Field) => Promise<Result>): Promise<Result> {
  // In /tmp or /dev/shm, which the sandbox replaces, everything would be blocked for another reason.
  const folder = realpathSync(mkdtempSync("/var/tmp/holdfast-escape-"));
  const place = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const field = { project: place("project"), outside: place("outside"), home: place("home") };
  const data = place("data");
  const environment = { PATH: process.env["PATH"] ?? "", HOME: field.home };
  const secret = `secret-${Math.random().toString(36).slice(2)}`;
  const servers: Server[] = [];
  const neighbours: ReturnType<typeof spawn>[] = [];
  const git = (...words: readonly string[]): void => {
    const env = { ...environment, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const who = ["-c", "user.name=a", "-c", "user.email=b"];
    try {
      execFileSync("git", [...who, ...words], { cwd: field.project, env, stdio: "ignore" });
    } catch {
      // An attack may leave a broken repository.
    }
  };
  writeFileSync(join(field.project, "file.txt"), "text\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  let calls = 0;
  try {
    return await work({
      ...field,
      data,
      proof: join(field.outside, "proof"),
      secret,
      git,
      run: async (command) => {
        calls += 1;
        const tool = createShellTool({ environment, killAfter: 200 });
        const context = contextFor(field.project, { data, callId: String(calls) });
        return (await tool.run({ command }, context)).output;
      },
      listen: (address) => {
        const server = createServer((socket) => socket.on("error", () => {}));
        servers.push(server);
        let isReached = false;
        server.on("connection", (socket) => {
          isReached = true;
          socket.end();
        });
        return new Promise((resolve, reject) => {
          server.once("error", reject);
          const done = (): void => {
            const bound = server.address();
            const port = bound !== null && typeof bound === "object" ? bound.port : 0;
            resolve({ port, wasReached: () => isReached });
          };
          if (address === null) server.listen(0, "127.0.0.1", done);
          else server.listen(address, done);
        });
      },
      neighbour: () => {
        const env = { ...environment, SECRET: secret };
        const child = spawn("sleep", ["60"], { env, stdio: "ignore" });
        neighbours.push(child);
        return child.pid ?? -1;
      },
    });
  } finally {
    for (const server of servers) server.close();
    for (const child of neighbours) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

export function isThere(path: string): boolean {
  return existsSync(path);
}

/** Writes a file and the folders above it. */
export function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function contextFor(
  directory: string,
  { data, callId }: { data: string; callId: string },
): Parameters<ReturnType<typeof createShellTool>["run"]>[1] {
  const settings: ToolSettings = {
    ...defaultToolSettings,
    // The commands of attacks need Node, which may be in a folder that the sandbox replaces.
    guarded: { hidden: [data], readOnly: [dirname(process.execPath)] },
    shell: { ...defaultToolSettings.shell, sandbox: "required" },
  };
  return {
    directory,
    sessionId: "s1",
    runId: "r1",
    callId,
    signal: new AbortController().signal,
    mayAct: () => true,
    settings,
    progress: () => {},
    seen: () => null,
    mayRead: () => true,
    agent: { ask: unexpected, child: unexpected, background: unexpected },
  };
}

function unexpected(): never {
  throw new Error("an attack has nobody to ask");
}
