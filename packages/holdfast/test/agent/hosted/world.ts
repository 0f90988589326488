import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { HostedPool } from "../../../src/agent/hosted/pool.ts";
import type { Message } from "../../../src/agent/message.ts";
import { systemClock } from "../../../src/base/time.ts";
import { workspaceViews } from "../../../src/compose/workspace-views.ts";
import type { Workspace } from "../../../src/contract/workspace.ts";
import { createConversations } from "../../../src/log/conversation.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { examine } from "../../../src/store/doctor/doctor.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openRuntimeOnSetup } from "../../workspace/support/runtime-on-setup.ts";
import type { Ended, RuntimeOnSetup } from "../../workspace/support/runtime-on-setup.ts";

const program = join(import.meta.dirname, "../../support/stub-agent.ts");

/** Holdfast with the stub as the agent `stub` of a directory, in this process. */
export interface HostedWorld {
  readonly directory: string;
  /** The home directory of the user. It contains the project and the stub's folder. */
  readonly root: string;
  readonly runtime: Runtime;
  /** The folder in which the stub keeps its sessions and counts what it has done. */
  readonly home: string;
  prompt(
    promptId: string,
    text: string,
    fields?: Partial<Parameters<Runtime["prompt"]>[0]>,
  ): Promise<void>;
  ended(promptId: string): Promise<Ended>;
  event(matches: (event: LaneEvent) => boolean): Promise<LaneEvent>;
  log(): Promise<readonly LaneEvent[]>;
  /** The events in short: tool names with their results, and the text of answers. */
  story(): Promise<readonly string[]>;
  conversation(sessionId?: string): Promise<readonly Message[]>;
  answer(verdict: "allow" | "deny", remember?: "session", text?: string): Promise<void>;
  /** Lines of a file that the stub agent has written. */
  lines(name: string): readonly string[];
  /** Creates the file that the stub agent waits for, so that it continues. */
  release(name: string): void;
  configure(stub: StubConfig): void;
  restart(): Promise<void>;
  pids(): readonly number[];
  /** The choices of the stub, as the API lists them for the directory. */
  offered(): Promise<Pick<Workspace["agents"][number], "models" | "modes" | "commands"> | null>;
}

export interface StubConfig {
  readonly mode?: string;
  readonly version?: string;
  readonly config?: object;
  /** More fields of `acp`. */
  readonly acp?: object;
  /** The home directory; default: a new one. */
  readonly root?: string;
}

export async function openHostedWorld(t: TestContext, stub: StubConfig = {}): Promise<HostedWorld> {
  const root = stub.root ?? realpathSync(mkdtempSync(join(tmpdir(), "holdfast-hosted-")));
  const home = join(root, "stub");
  const directory = join(root, "project");
  const configFolder = join(root, ".config", "holdfast");
  for (const folder of [home, directory, configFolder]) mkdirSync(folder, { recursive: true });
  const configure = ({
    mode = "",
    version = "1.0.0",
    config = {},
    acp: more,
  }: StubConfig): void => {
    const env = { STUB_HOME: home, STUB_MODE: mode, STUB_VERSION: version };
    const acp = { command: [process.execPath, program], env, ...more };
    const content = { agent: "stub", agents: { stub: { acp } }, ...config };
    writeFileSync(join(configFolder, "config.jsonc"), JSON.stringify(content));
  };
  configure(stub);
  const environment = { PATH: process.env["PATH"], HOME: root };
  const open = (): Promise<RuntimeOnSetup> =>
    openRuntimeOnSetup({ root, environment, home: root, model: null, titles: false });
  let opened = await open();
  await opened.runtime.createSession({ sessionId: "main", directory });
  const pools = (): readonly HostedPool[] =>
    opened.setup.host
      .list()
      .flatMap(({ current, retired }) =>
        [current, ...retired].flatMap((each) => [
          ...(each?.workspace.setup?.hosted?.values() ?? []),
        ]),
      );
  const lines = (name: string): readonly string[] => {
    const file = join(home, name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  };
  t.after(async () => {
    const { violations } = await examine(opened.runtime.store);
    await opened.close();
    // Processes in a sandbox have other ids than outside of it, so the recorded ids cannot be checked here.
    const pids = stub.root === undefined ? lines("pids").map(Number) : [];
    await waitFor(() => pids.filter(isAlive), {
      describe: "the end of all processes of the stub",
      until: (alive) => alive.length === 0,
    });
    assert.deepEqual({ violations, errors: opened.errors }, { violations: [], errors: [] });
    const overlaps = lines("overlaps");
    // Hooks run in the order in which they were added. The checks of this hook read the files, so it removes them.
    rmSync(root, { recursive: true, force: true });
    assert.deepEqual(overlaps, [], "H5: no prompt during another turn");
  });
  const log = async (): Promise<readonly LaneEvent[]> =>
    opened.runtime.store.events("main", { after: 0, limit: 1_000 });
  return {
    directory,
    root,
    home,
    get runtime() {
      return opened.runtime;
    },
    lines,
    log,
    configure,
    pids: () => pools().flatMap((pool) => pool.pids()),
    prompt: async (promptId, text, fields = {}) => {
      await opened.runtime.prompt({ sessionId: "main", promptId, text, ...fields });
    },
    ended: (promptId) => opened.ended({ sessionId: "main", promptId }),
    event: async (matches) => {
      for await (const found of opened.runtime.events({ sessionId: "main" })) {
        if (matches(found)) return found;
      }
      throw new Error("the events of a session do not end");
    },
    conversation: (sessionId = "main") =>
      createConversations(opened.runtime.store, systemClock).read(sessionId),
    story: async () => storyOf(opened.runtime, await log()),
    answer: async (verdict, remember, text) => {
      const found = await waitFor(async () => openAsk(await log()), { describe: "an open ask" });
      assert(found !== null);
      const said = {
        ...(remember === undefined ? {} : { remember }),
        ...(text === undefined ? {} : { text }),
      };
      await opened.runtime.answer({ sessionId: "main", askId: found, verdict, ...said });
    },
    offered: async () => {
      const view = await workspaceViews(opened.setup.host, (text) => text).open(directory);
      const stub = view.agents.find(({ name }) => name === "stub");
      return stub === undefined ? null : pickChoices(stub);
    },
    release: (name) => writeFileSync(join(home, name), ""),
    restart: async () => {
      await opened.close();
      opened = await open();
    },
  };
}

function pickChoices({ models, modes, commands }: Workspace["agents"][number]) {
  return { models, modes, commands };
}

function openAsk(log: readonly LaneEvent[]): string | null {
  const closed = new Set(log.flatMap((each) => (each.type === "ask.closed" ? [each.askId] : [])));
  const found = log.find((each) => each.type === "ask.opened" && !closed.has(each.askId));
  return found?.type === "ask.opened" ? found.askId : null;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function storyOf(runtime: Runtime, log: readonly LaneEvent[]): Promise<readonly string[]> {
  const names = new Map<string, string>();
  const lines: string[] = [];
  for (const event of log) {
    if (event.type === "step.answered") {
      const body: { text: string } = JSON.parse(await text(runtime, event.body));
      if (body.text !== "") lines.push(`"${body.text}"`);
      for (const { callId, name } of event.calls) {
        names.set(callId, name);
        lines.push(`${name}?`);
      }
    }
    if (event.type === "tool.started") lines.push(`${names.get(event.callId)}!`);
    if (event.type === "tool.ended") lines.push(`${names.get(event.callId)} ${event.status}`);
    if (event.type === "ask.opened") lines.push("ask");
    if (event.type === "ask.closed") {
      const { resolution } = event;
      lines.push(resolution.kind === "answered" ? resolution.verdict : resolution.kind);
    }
    if (event.type === "prompt.takenIn") lines.push(`takes ${event.promptId} in`);
    if (event.type === "prompt.settled") lines.push(`${event.promptId} ${event.outcome.status}`);
  }
  return lines;
}

async function text(runtime: Runtime, hash: string): Promise<string> {
  const body = await runtime.store.body(hash);
  return Buffer.from(body ?? []).toString("utf8");
}
