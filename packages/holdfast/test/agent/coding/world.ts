import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { Protocol } from "../../../../../gauntlet/model-server/protocol.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { Agent } from "../../../src/agent/agent.ts";
import { createCodingAgent } from "../../../src/agent/coding/coding-agent.ts";
import type { CodingAgentOptions } from "../../../src/agent/coding/coding-agent.ts";
import { factsOf } from "../../../src/agent/model/model-facts.ts";
import type { ModelFacts } from "../../../src/agent/model/model-facts.ts";
import type { Provider } from "../../../src/agent/model/known-providers.ts";
import { openModel } from "../../../src/agent/model/providers.ts";
import { createRememberedRules } from "../../../src/agent/permissions/remembered.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { createRedactor } from "../../../src/agent/redact.ts";
import { redactedAgent } from "../../../src/agent/redacted-agent.ts";
import type { AgentSetup } from "../../../src/agent/setup.ts";
import { codingTools } from "../../../src/agent/tools/all.ts";
import { usualSetup } from "../../../src/agent/usual-setup.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime, RuntimeOptions } from "../../../src/runtime/runtime.ts";
import type { Delta } from "../../../src/runner/delta-hub.ts";
import { examine } from "../../../src/store/doctor/doctor.ts";

/** A key that must never be seen anywhere but in the requests to the provider. */
export const key = "sk-hold-5f0c9c2ab71e4d";

export interface WorldOptions {
  readonly script: Script;
  /** Answers to model calls for a title. */
  readonly title?: Script;
  readonly protocol?: Protocol["name"];
  readonly model?: string;
  readonly facts?: Partial<ModelFacts>;
  /** Settings of the provider beside those of the protocol, by the address of the server. */
  readonly provider?: (root: string) => Partial<Provider>;
  /** Inspects each request before the script answers it. */
  readonly before?: NonNullable<Parameters<typeof startModelServer>[1]>["before"];
  readonly files?: Readonly<Record<string, string>>;
  readonly agent?: Partial<Omit<CodingAgentOptions, "setup">>;
  readonly setup?: Partial<AgentSetup>;
  readonly settings?: Partial<Omit<RuntimeOptions, "agent" | "store">>;
}

/** The coding agent at work for a session `main` in a git folder, on a real store and real sockets. */
export interface World {
  readonly directory: string;
  readonly file: string;
  readonly server: ModelServer;
  readonly deltas: Delta[];
  readonly errors: unknown[];
  holdfast(): Runtime;
  /** Closes the runtime as it is, and opens another one. */
  restart(deadline?: number): Promise<void>;
  prompt(promptId: string, fields?: Partial<Parameters<Runtime["prompt"]>[0]>): Promise<void>;
  outcome(promptId: string, sessionId?: string): Promise<{ ended: string; text: string | null }>;
  /** The first event that satisfies the condition, old or new. */
  event(matches: (event: LaneEvent) => boolean, sessionId?: string): Promise<LaneEvent>;
  log(sessionId?: string): Promise<readonly LaneEvent[]>;
  /** Returns the content that is stored under the hash. */
  body(hash: string | null): Promise<string>;
  /** Answers the first ask that is open; with `remember` for later too. */
  answer(
    verdict: "allow" | "deny",
    said?: { text?: string; remember?: "session" | "project" },
  ): Promise<void>;
  read(path: string): string;
}

/** A folder in memory, if there is one: these tests are about the agent, not about the speed of a disk. */
export const quickDisk = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const quick = {
  pollEvery: 50,
  renewEvery: 200,
  leaseTtl: 10_000,
  stopGrace: 3_000,
  // No titles: they arrive at any time, and these tests compare whole logs.
  titles: false,
} as const;

export async function openWorld(t: TestContext, options: WorldOptions): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(quickDisk, "holdfast-coding-")));
  const directory = join(folder, "project");
  const file = join(folder, "holdfast.db");
  makeRepository(directory, options.files ?? {});
  const server = await startModelServer(options.script, {
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.before === undefined ? {} : { before: options.before }),
  });
  const agent = agentFor(options, { server, folder });
  const deltas: Delta[] = [];
  const errors: unknown[] = [];
  const answered = new Set<string>();
  const open = async (): Promise<Runtime> => {
    const opened = await createRuntime({
      ...quick,
      redact: (text) => createRedactor([key]).redact(text),
      ...options.settings,
      agent,
      store: file,
      onError: (error) => errors.push(error),
    });
    opened.deltas("main", (delta) => deltas.push(delta));
    return opened;
  };
  let holdfast = await open();
  await holdfast.createSession({ sessionId: "main", directory });
  t.after(async () => {
    const { violations } = await examine(holdfast.store);
    await holdfast.close({ deadline: 2_000 });
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual({ violations, errors }, { violations: [], errors: [] });
  });
  const event: World["event"] = async (matches, sessionId = "main") => {
    for await (const found of holdfast.events({ sessionId })) if (matches(found)) return found;
    throw new Error("the events of a session do not end");
  };
  return {
    directory,
    file,
    server,
    deltas,
    errors,
    holdfast: () => holdfast,
    restart: async (deadline = 0) => {
      await holdfast.close({ deadline });
      holdfast = await open();
    },
    prompt: async (promptId, fields = {}) => {
      await holdfast.prompt({
        sessionId: "main",
        text: `text of ${promptId}`,
        ...fields,
        promptId,
      });
    },
    outcome: async (promptId, sessionId = "main") => {
      const row = await holdfast.wait({ sessionId, promptId });
      assert(row?.outcome, `prompt ${promptId} is settled`);
      const { status, reason } = row.outcome;
      const ended = reason === null ? status : `${status}: ${reason}`;
      return { ended, text: await holdfast.resultText(row) };
    },
    event,
    log: (sessionId = "main") => holdfast.store.events(sessionId, { after: null, limit: 10_000 }),
    body: async (hash) => {
      const bytes = hash === null ? null : await holdfast.store.body(hash);
      return bytes === null ? "" : new TextDecoder().decode(bytes);
    },
    answer: async (verdict, said = {}) => {
      const asked = await event(
        (found) => found.type === "ask.opened" && !answered.has(found.askId),
      );
      assert(asked.type === "ask.opened");
      answered.add(asked.askId);
      const { askId } = asked;
      await holdfast.answer({ sessionId: "main", askId, verdict, ...said });
    },
    read: (path) => readFileSync(join(directory, path), "utf8"),
  };
}

/** Rules that allow everything. Rules themselves have separate tests. */
const allowAll = [
  ...defaultRules(),
  { action: "change", pattern: "**", effect: "allow" },
  { action: "run", pattern: "*", effect: "allow" },
] as const;

export function agentFor(
  options: Omit<WorldOptions, "script" | "title" | "before" | "settings" | "files">,
  place: { server: Pick<ModelServer, "addresses">; folder: string },
): Agent {
  const { protocol = "openaiChat", facts } = options;
  const own = options.provider?.(place.server.addresses.bedrock) ?? {};
  const name = own.name ?? providerOf[protocol];
  const baseUrl = place.server.addresses[protocol];
  const id = `${name}/${options.model ?? "test"}`;
  const known = { ...factsOf(id), ...facts };
  const usual = { key, baseUrl, defaultModel: null, facts: () => known };
  const provider: Provider = { ...usual, ...own, name };
  const model = openModel([provider], id);
  const redactor = createRedactor([key]);
  const redact = (text: string): string => redactor.redact(text);
  const setup = usualSetup({
    models: {
      chosen: id,
      small: null,
      disconnected: [],
      providers: [name],
      open: async () => model,
      release: () => {},
    },
    tools: codingTools({ shell: { environment } }),
    rules: allowAll,
    ...options.setup,
  });
  const agent = createCodingAgent({
    setup: () => setup,
    remembered: createRememberedRules(join(place.folder, "permissions"), { redact }),
    stallAfter: 120_000,
    endAfter: 300_000,
    maxTries: 3,
    retryAfter: 20,
    random: () => 0,
    ...options.agent,
  });
  return redactedAgent(agent, redactor);
}

const providerOf: Readonly<Record<Protocol["name"], string>> = {
  openaiChat: "local",
  openaiResponses: "openai",
  anthropic: "anthropic",
  google: "google",
  bedrock: "bedrock",
};

/** A test runner inside of a test runner would take part in the outer one. */
export const environment = {
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: tmpdir(),
};

function makeRepository(directory: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(directory, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  const git = (...words: readonly string[]): void => {
    const who = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    execFileSync("git", [...who, ...words], { cwd: directory, stdio: "ignore" });
  };
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "--allow-empty", "-m", "first");
}
