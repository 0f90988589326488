import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentFailure } from "./agent/agent.ts";
import type { Agent } from "./agent/agent.ts";
import { demoAgent } from "./agent/demo/demo-agent.ts";
import { defaultModel, providersOf, secretsOf } from "./agent/model/known-providers.ts";
import type { Provider } from "./agent/model/known-providers.ts";
import { defaultRules } from "./agent/permissions/rules.ts";
import { createRedactor } from "./agent/redact.ts";
import { redactedAgent } from "./agent/redacted-agent.ts";
import { defaultToolSettings } from "./agent/tools/tool.ts";
import { programVersion } from "./runner/export.ts";
import { createRuntime } from "./runner/runtime.ts";
import type { Runtime } from "./runner/runtime.ts";
import { openSqliteReader } from "./store/sqlite/reader.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { StoreError } from "./store/store-error.ts";
import type { Store, StoreReader } from "./store/store.ts";

// The composition root: it alone knows all the parts, and what is built out of them is offered here.

export { AgentFailure } from "./agent/agent.ts";
export type { AnswerBody, AskBody, CallRequest, IntentBody, ToolBody } from "./agent/message.ts";
export { modelVariables } from "./agent/model/known-providers.ts";
export type { ProviderName } from "./agent/model/known-providers.ts";
export type { PermissionRule } from "./agent/permissions/rule.ts";
export type { PermissionRequest } from "./agent/tools/tool.ts";
export type { LaneEvent, Receipt, ToolStatus } from "./kernel/event.ts";
export type { LedgerRow } from "./kernel/ledger.ts";
export { addUsage, noUsage } from "./kernel/state.ts";
export type { Hold, LaneState, Usage } from "./kernel/state.ts";
export { CommandRefused } from "./runner/command-refused.ts";
export type { Runtime } from "./runner/runtime.ts";
export type { RevertedFile, RevertPlan } from "./runner/revert.ts";
export { exportPieces, ledgerOf, programVersion as version } from "./runner/export.ts";
export { logOf } from "./runner/log.ts";
export type { RevertReport } from "./runner/revert-work.ts";
export { examine } from "./store/doctor.ts";
export type { Examination, Tally } from "./store/doctor.ts";
export { StoreError } from "./store/store-error.ts";
export type { Store, StoreReader } from "./store/store.ts";

export interface OpenedRuntime {
  readonly runtime: Runtime;
  /** The name of the model that the coding agent uses; null for the demo agent. */
  readonly model: string | null;
  /** Takes configured keys out of a text. */
  readonly redact: (text: string) => string;
}

/** A runtime for one session and its children alone. */
export async function openRuntime(options: {
  store: string;
  sessionId: string;
  /** As `provider/model`; the environment's choice if it is null. */
  model: string | null;
  environment: NodeJS.ProcessEnv;
  home: string;
  onError: (error: unknown) => void;
}): Promise<OpenedRuntime> {
  const { sessionId: onlySession, onError } = options;
  const { agent, model, redact } = await chooseAgent(options);
  const store = await openStore(options.store);
  try {
    const opened = await createRuntime({ agent, store, onlySession, redact, onError });
    const close: Runtime["close"] = async (draining) => {
      await opened.close(draining);
      await store.close();
    };
    return { runtime: { ...opened, close }, model, redact };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export interface ConnectedModels {
  readonly providers: readonly Provider[];
  /** What a run uses when nobody names another; null where none is known. */
  readonly chosen: string | null;
}

/** What the environment connects. */
export function connectedModels(environment: NodeJS.ProcessEnv): ConnectedModels {
  const named = environment["HOLDFAST_MODEL"]?.trim() ?? "";
  const providers = providersOf(environment);
  return { providers, chosen: named === "" ? defaultModel(providers) : named };
}

interface ChosenAgent {
  readonly agent: Agent;
  readonly model: string | null;
  readonly redact: (text: string) => string;
}

/** The coding agent when a model is connected or named; else the demo agent, which needs none. */
async function chooseAgent(options: {
  model: string | null;
  environment: NodeJS.ProcessEnv;
  home: string;
}): Promise<ChosenAgent> {
  const { environment, home } = options;
  const { providers, chosen } = connectedModels(environment);
  const wanted = options.model ?? chosen;
  const redactor = createRedactor(secretsOf(environment));
  const redact = (text: string): string => redactor.redact(text);
  if (providers.length === 0 && wanted === null) {
    return { agent: redactedAgent(demoAgent, redactor), model: null, redact };
  }
  if (wanted === null) {
    const [first] = providers;
    const advice = `name one with --model ${first?.name}/... or HOLDFAST_MODEL`;
    throw new AgentFailure(
      "modelGone",
      `${first?.name} is connected, and no model is named; ${advice}`,
    );
  }
  // Loaded only when a model is called: most of the start would be spent on it.
  const [{ openModel }, { createCodingAgent }, { codingTools }, { createRememberedRules }] =
    await Promise.all([
      import("./agent/model/providers.ts"),
      import("./agent/coding/coding-agent.ts"),
      import("./agent/tools/all.ts"),
      import("./agent/permissions/remembered.ts"),
    ]);
  const model = openModel(providers, wanted);
  const agent = createCodingAgent({
    model: () => model,
    tools: codingTools(),
    toolSettings: defaultToolSettings,
    rules: defaultRules(),
    // What a person allows for a project is the person's, whichever store the session is in.
    remembered: createRememberedRules(join(dataFolder(environment, home), "permissions"), {
      redact,
    }),
    stallAfter: 120_000,
    endAfter: 30 * 60_000,
    maxTries: 5,
    random: Math.random,
  });
  return { agent: redactedAgent(agent, redactor), model: model.id, redact };
}

/** For writing without running anything. */
export async function openExistingStore(address: string): Promise<Store> {
  expectStore(address);
  return openStore(address);
}

/** A runtime that does exclusive work on one session and starts no runs. */
export function openWorkshop(store: Store, sessionId: string): Promise<Runtime> {
  return createRuntime({ agent: demoAgent, store, onlySession: sessionId, maxRuns: 0 });
}

/** For looking only: also works while another process owns the store. */
export async function openReader(address: string): Promise<StoreReader> {
  expectStore(address);
  return isPostgres(address) ? openStore(address) : openSqliteReader({ file: address });
}

/** Where a person's sessions are kept when no store is named. */
export function defaultStore(environment: NodeJS.ProcessEnv, home: string): string {
  return join(dataFolder(environment, home), "holdfast.db");
}

function dataFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const data = environment["XDG_DATA_HOME"] ?? "";
  return join(data === "" ? join(home, ".local", "share") : data, "holdfast");
}

async function openStore(address: string): Promise<Store> {
  if (!isPostgres(address)) {
    makeFolder(dirname(address));
    return openSqliteStore({ file: address });
  }
  // Loaded only by those who use it: most start without a database server.
  const { openPostgresStore } = await import("./store/postgres/postgres-store.ts");
  return openPostgresStore({ url: address });
}

function expectStore(address: string): void {
  if (isPostgres(address) || existsSync(address)) return;
  const advice = "`holdfast run` makes one, --store names another";
  throw new StoreError("storeInvalid", `there is no store at ${address} yet; ${advice}`);
}

function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const advice = "name another file with --store";
    throw new StoreError("storeInvalid", `the folder ${folder} can't be made; ${advice}`, error);
  }
}

const overview = `Holdfast ${programVersion()}: a runtime for coding-agent sessions that never loses a prompt.

There is no server to start yet. The command line works. Without a model a demo agent answers: it is
offline and does what the prompt says. To try it:

  npx holdfast run "say hello slowly"             stream an answer
  npx holdfast run "append notes.txt hello"       let a tool append a line to a file
  npx holdfast run "ask Is this fine?"            answer a question of the agent
  npx holdfast run "child { say I am a child }"   start a child session and wait for it
  npx holdfast run "say one; crash once; say two" kill the process; go on with --continue
  npx holdfast sessions                           what there is, newest first
  npx holdfast doctor                             check the store against every promise
  npx holdfast help                               all commands

For the coding agent, connect a model and say what is to be done:

  export ANTHROPIC_API_KEY=...                    or another's: npx holdfast models
  npx holdfast run "find out why the tests fail"
  npx holdfast revert                             put the files back that the last run changed

  node examples/custom-agent.ts                   an agent of your own, in some thirty lines (Node 24)

\`npm start -- run "..."\` does the same as \`npx holdfast run "..."\`.
docs/CLI.md has the commands and exit codes, docs/DEMO.md what the demo agent understands.
To work on it: npm test, npm run check; CONTRIBUTING.md says more.`;

if (import.meta.main) {
  const words = process.argv.slice(2);
  if (words.length === 0) console.log(overview);
  // Not awaited here: the command line is built out of this file, which has to be there first.
  else
    void import("./cli/program.ts").then(
      async ({ runCli }) => (process.exitCode = await runCli(words)),
    );
}
