import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../../../src/agent/agent.ts";
import type { CommandType } from "../../../src/kernel/command.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { Outcome } from "../../../src/kernel/state.ts";
import { logOf } from "../../../src/log/session-log.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime, RuntimeOptions } from "../../../src/runtime/runtime.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { SqliteOptions } from "../../../src/store/sqlite/sqlite-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { audit } from "../../store/audit.ts";
import type { FarProcess } from "./far-node.ts";
import { livingLeasesOfFile, livingLeasesOfUrl, leakedResources, resources } from "./leaks.ts";
import { createPuppets } from "./puppets.ts";
import type { Puppet, Puppets } from "./puppets.ts";
import { tamper } from "./tampered-store.ts";
import type { HeldBack, Interfere, TamperedStore } from "./tampered-store.ts";

export type Settings = Partial<Omit<RuntimeOptions, "agent" | "store" | "onError">> & {
  /** Agent of the runtime instead of the agent that a test controls by hand. */
  readonly agent?: Agent;
};

/** Registers cleanup work: a test, or a stand-in for one. */
export interface Scope {
  after(clean: () => Promise<void>): void;
}

/** One runtime of a place: a stand-in for a process. */
export interface Node {
  readonly name: string;
  readonly holdfast: Runtime;
  readonly store: TamperedStore;
  /** Errors that the runner reported; unexpected ones fail the test. */
  readonly errors: unknown[];
  /** From now on the runtime receives no signals. */
  dropSignals(): Promise<void>;
  /** Replaces each commit by a function that may call the original one. */
  interfere(interfere: Interfere): Promise<void>;
  /** Holds back the runtime's next command of this type until it is released. */
  holdBack(type: CommandType): Promise<HeldBack>;
  /** Simulates a crash: the lease stays, and no further write of the runtime reaches the store. */
  crash(): Promise<void>;
  close(deadline?: number): Promise<void>;
}

/** Runtimes on one real store, with a session `main`. The test fails if they leave anything behind. */
export interface Place {
  readonly puppets: Puppets;
  /** The runtimes in the order in which they were opened. */
  readonly nodes: readonly Node[];
  readonly first: Node;
  open(settings?: Settings): Promise<Node>;
  /** A runtime that does not execute this run, if there is one. */
  far(puppet: Puppet): Runtime;
  /** A prompt for `main`, sent through the runtime that was opened last. */
  prompt(promptId: string, fields?: PromptFields): Promise<void>;
  /** Sends the prompt and returns its run, which the test controls. */
  openRun(promptId: string, fields?: PromptFields): Promise<Puppet>;
  /** Same as above, and opens the first step of the run. */
  openStep(promptId: string, fields?: PromptFields): Promise<Puppet>;
  /** Waits for the outcome of a prompt. Returns `completed`, or the status with its reason. */
  outcome(promptId: string, sessionId?: string): Promise<string>;
  outcomes(promptIds: readonly string[]): Promise<string[]>;
  /** Resolves with the first event that satisfies the condition, old or new. */
  event(matches: (event: LaneEvent) => boolean, sessionId?: string): Promise<LaneEvent>;
  types(sessionId?: string): Promise<LaneEvent["type"][]>;
}

type PromptFields = Partial<Parameters<Runtime["prompt"]>[0]>;

/**
 * Short poll interval, so that a lost signal costs little time. No titles: they arrive at any time, and these tests
 * compare whole logs.
 */
const quick = { pollEvery: 20, renewEvery: 100, leaseTtl: 10_000, titles: false } as const;

/** A SQLite file in a folder of its own; all runtimes share the process's one handle on it. */
export async function openSqlitePlace(
  scope: Scope,
  options: Settings & { storeClock?: SqliteOptions["clock"]; session?: boolean } = {},
): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-runner-"));
  const file = join(folder, "holdfast.db");
  const { storeClock: clock, ...settings } = options;
  let shared: Promise<Store> | null = null;
  const openStore = (): Promise<Store> => {
    shared ??= openSqliteStore(clock === undefined ? { file } : { file, clock });
    return shared;
  };
  return openPlace(scope, {
    settings,
    openStore,
    reopen: async () => {
      await (await shared)?.close();
      shared = null;
    },
    livingLeases: async (now) => livingLeasesOfFile(file, now),
    remove: () => rmSync(folder, { recursive: true }),
  });
}

/** Opens a new database on a PostgreSQL server. Each runtime has its own connection. */
export async function openPostgresPlace(
  scope: Scope,
  options: Settings & { url: string; runtimes?: number; processes?: readonly FarProcess[] },
): Promise<Place> {
  const { url, processes = [], runtimes = 2, ...settings } = options;
  const place = await openPlace(scope, {
    settings,
    openStore: () => openPostgresStore({ url, connections: 4 }),
    reopen: null,
    far: { url, processes },
    livingLeases: (now) => livingLeasesOfUrl(url, now),
    remove: () => {},
  });
  for (let opened = 1; opened < runtimes; opened += 1) await place.open();
  return place;
}

interface Ground {
  readonly settings: Settings & { session?: boolean };
  /** Opens each runtime in a separate process. Missing: in this process. */
  readonly far?: { readonly url: string; readonly processes: readonly FarProcess[] };
  readonly openStore: () => Promise<Store>;
  /** Closes the handle that all runtimes share, so that the next opening creates a new one. */
  readonly reopen: (() => Promise<void>) | null;
  readonly livingLeases: (now: number) => Promise<readonly string[]>;
  readonly remove: () => void;
}

async function openPlace(scope: Scope, ground: Ground): Promise<Place> {
  const before = resources();
  const puppets = createPuppets();
  const nodes: Node[] = [];
  const leaks: (() => Promise<Record<string, number>>)[] = [];
  const crashed = new Set<Node>();
  const closed = new Set<Node>();

  const openFar = async (process: FarProcess, url: string): Promise<Node> => {
    const name = `node${nodes.length}`;
    const { session: _session, agent = puppets.agent(name), ...settings } = ground.settings;
    const far = await process.open({
      url,
      settings: { ...quick, ...settings },
      run: async (context) => agent.run(context),
    });
    const errors: unknown[] = [];
    const store = Object.assign(tamper(far.runtime.store), { mend: () => void far.mend() });
    const node: Node = {
      name,
      holdfast: far.runtime,
      store,
      errors,
      dropSignals: () => far.dropSignals(),
      interfere: (interfere) => far.interfere(interfere),
      holdBack: async (type) => {
        const held = await far.holdBack(type);
        return { arrived: held.arrived(), release: () => void held.release() };
      },
      crash: () => Promise.reject(new Error("it is not this place's process to end")),
      close: async (deadline = 0) => {
        if (closed.has(node)) return;
        closed.add(node);
        errors.push(...(await far.close(deadline)));
      },
    };
    leaks.push(() => far.leaks());
    nodes.push(node);
    return node;
  };
  const open = async (settings: Settings = {}): Promise<Node> => {
    const process = ground.far?.processes[nodes.length];
    if (ground.far !== undefined && process !== undefined) return openFar(process, ground.far.url);
    const real = await ground.openStore();
    const shared = ground.reopen !== null;
    const store = tamper(real);
    const errors: unknown[] = [];
    const name = `node${nodes.length}`;
    const { session: _session, ...common } = ground.settings;
    const holdfast = await createRuntime({
      ...quick,
      agent: puppets.agent(name),
      ...common,
      ...settings,
      store,
      onError: (error) => errors.push(error),
    });
    const node: Node = {
      name,
      holdfast,
      store,
      errors,
      dropSignals: async () => store.dropSignals(),
      interfere: async (interfere) => store.around(interfere),
      holdBack: async (type) => store.holdBack(({ command }) => command.type === type),
      crash: async () => {
        crashed.add(node);
        await (shared ? ground.reopen?.() : real.close());
        puppets.dismiss(name);
        await holdfast.close().catch(() => {});
      },
      close: async (deadline = 0) => {
        if (closed.has(node) || crashed.has(node)) return;
        closed.add(node);
        await holdfast.close({ deadline });
        if (!shared) await real.close();
      },
    };
    nodes.push(node);
    return node;
  };
  scope.after(async () => {
    for (const { store } of nodes) store.mend();
    puppets.dismiss();
    const living = nodes.filter((node) => !crashed.has(node));
    for (const node of living) await node.close(1_000);
    const store = await ground.openStore();
    const problems = await audit(store);
    const now = await store.now();
    await (ground.reopen === null ? store.close() : ground.reopen());
    const leases = await ground.livingLeases(now);
    const far = await Promise.all(leaks.map((leaksOf) => leaksOf()));
    ground.remove();
    const errors = living.flatMap((node) => node.errors);
    assert.deepEqual(
      {
        problems,
        errors,
        leases: crashed.size === 0 ? leases : [],
        resources: await leakedResources(before),
        far,
      },
      { problems: [], errors: [], leases: [], resources: {}, far: far.map(() => ({})) },
    );
  });

  const first = await open();
  const last = (): Runtime =>
    nodes.findLast((node) => !crashed.has(node))?.holdfast ?? first.holdfast;
  if (ground.settings.session !== false) {
    await last().createSession({ sessionId: "main", directory: "/project" });
  }
  const outcome = async (promptId: string, sessionId = "main"): Promise<string> => {
    const row = await last().wait({ sessionId, promptId });
    assert(row !== null, `prompt ${promptId} is in the ledger`);
    return described(row.outcome);
  };
  const prompt: Place["prompt"] = async (promptId, fields = {}) => {
    await last().prompt({ sessionId: "main", text: `text of ${promptId}`, ...fields, promptId });
  };
  const openRun: Place["openRun"] = async (promptId, fields) => {
    await prompt(promptId, fields);
    return puppets.next();
  };
  return {
    puppets,
    nodes,
    first,
    open,
    prompt,
    openRun,
    openStep: async (promptId, fields) => {
      const run = await openRun(promptId, fields);
      await run.boundary();
      return run;
    },
    far: (puppet) => {
      const others = nodes.filter((node) => !crashed.has(node) && node.name !== puppet.agent);
      return (others.at(-1) ?? first).holdfast;
    },
    outcome,
    outcomes: (promptIds) => Promise.all(promptIds.map((promptId) => outcome(promptId))),
    event: (matches, sessionId = "main") => firstEvent(last(), { matches, sessionId }),
    types: async (sessionId = "main") => {
      const types: LaneEvent["type"][] = [];
      for await (const { type } of logOf(last().store, sessionId)) types.push(type);
      return types;
    },
  };
}

export function described(outcome: Outcome | null): string {
  if (outcome === null) return "unsettled";
  return outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`;
}

async function firstEvent(
  holdfast: Runtime,
  target: { matches: (event: LaneEvent) => boolean; sessionId: string },
): Promise<LaneEvent> {
  const { sessionId, matches } = target;
  for await (const event of holdfast.events({ sessionId })) if (matches(event)) return event;
  throw new Error("the events of a session do not end");
}
