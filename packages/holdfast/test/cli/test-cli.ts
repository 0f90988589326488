import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endServers } from "../support/end-servers.ts";
import { program } from "../support/program.ts";

export interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly end: number | string;
  readonly out: string;
  readonly err: string;
}

/** A project folder with its own data folder, and a way to run commands in it. */
export interface TestCli {
  readonly folder: string;
  readonly store: string;
  run(...words: string[]): Promise<Ended>;
  start(...words: string[]): Running;
  /** Runs a command with this text on stdin. */
  feed(input: string, ...words: string[]): Promise<Ended>;
  /** Starts a server on the store, on the given or any port; resolves when it is ready. */
  serve(port?: number): Promise<Serving>;
}

export interface Serving {
  readonly running: Running;
  readonly url: string;
  readonly port: number;
  readonly token: string;
}

export interface Running {
  readonly process: ChildProcess;
  /** Resolves when the text was printed; rejects if the command ends without it. */
  printed(text: string): Promise<void>;
  /** Same as above, for a pattern. */
  matched(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

/** Environment variables that must not reach a command, because they would connect a model. */
const connecting =
  /^(ANTHROPIC|OPENAI|GEMINI|GOOGLE|OPENROUTER|AZURE|AWS|COPILOT|GROQ|MISTRAL|XAI|DEEPSEEK|OLLAMA|HOLDFAST)_|^(NO_COLOR|FORCE_COLOR)$/;

export function openCli(
  test: { after(work: () => void): void },
  environment: Record<string, string> = {},
): TestCli {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cli-")));
  const running = new Set<ChildProcess>();
  test.after(() => {
    for (const process of running) process.kill("SIGKILL");
    endServers(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  const open = (words: readonly string[]): Running => {
    const started = startCommand([program, ...words], { folder, environment });
    running.add(started.process);
    started.process.once("exit", () => running.delete(started.process));
    return started;
  };
  const start = (...words: string[]): Running => {
    const started = open(words);
    started.process.stdin?.end();
    return started;
  };
  const serve = async (port = 0): Promise<Serving> => {
    const serving = start("serve", "--port", String(port));
    const [, url = ""] = await serving.matched(/listening at (\S+)/);
    const token = readFileSync(join(folder, "data", "holdfast", "token"), "utf8").trim();
    return { running: serving, url, port: Number(new URL(url).port), token };
  };
  return {
    serve,
    folder,
    store: join(folder, "data", "holdfast", "holdfast.db"),
    start,
    run: (...words) => start(...words).ended,
    feed: (input, ...words) => {
      const started = open(words);
      // A command that refuses its input may have ended before the input is written.
      started.process.stdin?.on("error", () => {}).end(input);
      return started.ended;
    },
  };
}

/** Same as `openCli`, with commands that use no server unless `--server` names one. */
export function openEmbedded(
  test: { after(work: () => void): void },
  environment: Record<string, string> = {},
): TestCli {
  return openCli(test, { HOLDFAST_EMBEDDED: "1", ...environment });
}

export function startCommand(
  words: readonly string[],
  options: {
    folder: string;
    environment?: Record<string, string>;
    /** Milliseconds after which the command is killed; 0: never. */
    timeLimit?: number;
  },
): Running {
  const { folder, environment = {}, timeLimit = 300_000 } = options;
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: timeLimit,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !connecting.test(name))),
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "data"),
      // Without a model and a terminal, `run` works only with the demo agent.
      HOLDFAST_AGENT: "demo",
      ...environment,
    },
  });
  const texts = { out: "", err: "" };
  const listeners = new Set<() => void>();
  const hear = (name: "out" | "err") => (chunk: string) => {
    texts[name] += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding("utf8").on("data", hear("out"));
  child.stderr.setEncoding("utf8").on("data", hear("err"));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ end: signal ?? code ?? -1, ...texts }));
  });
  const matched = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(texts.out + texts.err);
        if (match !== null) resolve(match);
      };
      listeners.add(look);
      look();
      ended.then(
        ({ out, err }) => reject(new Error(`it ended without ${pattern}: ${out}${err}`)),
        reject,
      );
    });
  const printed = async (text: string): Promise<void> => {
    await matched(new RegExp(RegExp.escape(text)));
  };
  return { process: child, printed, matched, ended };
}

/** Starts a shell command, in which `holdfast` is the command. */
export function startShell(script: string, folder: string): Running {
  const code = `
    const { spawnSync } = require("node:child_process");
    const script = ${JSON.stringify(script.replaceAll("holdfast", `'${process.execPath}' '${program}'`))};
    process.exitCode = spawnSync("sh", ["-c", script], { stdio: ["ignore", "inherit", "inherit"] }).status;`;
  return startCommand(["--eval", code], { folder });
}
