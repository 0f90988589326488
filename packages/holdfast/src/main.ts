import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { demoAgent } from "./agent/demo/demo-agent.ts";
import { createHoldfast } from "./runner/holdfast.ts";
import type { Holdfast } from "./runner/holdfast.ts";
import { openSqliteReader } from "./store/sqlite/reader.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { StoreError } from "./store/store-error.ts";
import type { Store, StoreReader } from "./store/store.ts";

// The composition root: it alone knows all the parts, and what is built out of them is offered here.

export type { LaneEvent } from "./kernel/event.ts";
export type { LedgerRow } from "./kernel/ledger.ts";
export type { LaneState } from "./kernel/state.ts";
export { CommandRefused } from "./runner/holdfast.ts";
export type { Holdfast } from "./runner/holdfast.ts";
export { examine } from "./store/doctor.ts";
export type { Examination, Tally } from "./store/doctor.ts";
export { StoreError } from "./store/store-error.ts";
export type { StoreReader } from "./store/store.ts";

/** A runtime with the demo agent, for one session and its children alone. */
export async function openRuntime(options: {
  store: string;
  sessionId: string;
  onError: (error: unknown) => void;
}): Promise<Holdfast> {
  const { sessionId: onlySession, onError } = options;
  const store = await openStore(options.store);
  try {
    return await createHoldfast({ agent: demoAgent, store, onlySession, onError });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** For looking only: also works while another process owns the store. */
export async function openReader(address: string): Promise<StoreReader> {
  if (isPostgres(address)) return openStore(address);
  if (!existsSync(address)) {
    const advice = "`holdfast run` makes one, --store names another";
    throw new StoreError("storeInvalid", `there is no store at ${address}; ${advice}`);
  }
  return openSqliteReader({ file: address });
}

/** Where a person's sessions are kept when no store is named. */
export function defaultStore(environment: NodeJS.ProcessEnv, home: string): string {
  const data = environment["XDG_DATA_HOME"] ?? "";
  return join(data === "" ? join(home, ".local", "share") : data, "holdfast", "holdfast.db");
}

export function version(): string {
  const file = join(import.meta.dirname, "..", "package.json");
  const manifest: { version: string } = JSON.parse(readFileSync(file, "utf8"));
  return manifest.version;
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

const overview = `Holdfast ${version()}: a runtime for coding-agent sessions that never loses a prompt.

There is no server to start yet. The command line works, with a demo agent that is offline and does
what the prompt says. To try it:

  npx holdfast run "say hello slowly"             stream an answer
  npx holdfast run "append notes.txt hello"       let a tool append a line to a file
  npx holdfast run "ask Is this fine?"            answer a question of the agent
  npx holdfast run "child { say I am a child }"   start a child session and wait for it
  npx holdfast run "say one; crash once; say two" kill the process; continue with --session
  npx holdfast prompts                            what became of every prompt
  npx holdfast doctor                             check the store against every promise
  npx holdfast help run                           all options

  node examples/custom-agent.ts                   an agent of your own, in some thirty lines (Node 24)

docs/DEMO.md lists what the demo agent understands, docs/CLI.md the commands and exit codes.
To work on it: npm test, npm run check; CONTRIBUTING.md says more.`;

if (import.meta.main) console.log(overview);
