import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import type { AgentSetup, Models, SetupLimits } from "../../../src/agent/setup.ts";
import { usualSetup } from "../../../src/agent/usual-setup.ts";
import type { MaintenanceProblem, PinningRun } from "../../../src/kernel/maintenance.ts";
import { createWorkspaceHost } from "../../../src/workspace/host.ts";
import type { ApplyRequest, Applied, WorkspaceHost } from "../../../src/workspace/host.ts";
import { WorkspaceError } from "../../../src/workspace/loader.ts";
import type { Notice, Resource, WorkspaceLoader } from "../../../src/workspace/loader.ts";
import type { Pin } from "../../../src/workspace/workspaces.ts";
import { createHandClock } from "../../support/hand-clock.ts";
import type { HandClock } from "../../support/hand-clock.ts";

/** The config of a directory. */
export interface Config {
  readonly digest: string;
  readonly resources?: readonly string[];
  /** Limits of runs in the config. */
  readonly limits?: Partial<SetupLimits>;
  /** Set if the config cannot be read: the reason. */
  readonly broken?: string;
}

/** Behaviour of a resource. Each function gets the number of times that the resource was opened. */
export interface Behaviour {
  open?(signal: AbortSignal, opening: number): Promise<void>;
  /** Notice about the resource for people. */
  notice?(): string | null;
  close?(opening: number): Promise<void>;
}

interface Opened {
  version: string;
  readonly listeners: Set<() => void>;
  readonly resource: Resource;
}

/** A host for simulated directories. All calls are logged. */
export interface World {
  readonly host: WorkspaceHost;
  readonly clock: HandClock;
  /** `read a`, `open mcp:x 1`, `build 1.a`, `close mcp:x 1`, in order; taken out by reading. */
  log(): string[];
  readonly errors: string[];
  /** Refreshes that the host has asked for. */
  readonly wanted: { directory: string; cause: string }[];
  configure(directory: string, config: Config): void;
  behave(key: string, behaviour: Behaviour): void;
  /** Changes the version of the last resource that was opened under the key. */
  change(key: string, version: string): void;
  /** Wait times of each opening under the key: how long it may wait for slow parts; null: without limit. */
  patience(key: string): readonly (number | null)[];
  /** Sets the runs that use the resource with this key. Before the first call, its users are unknown. */
  use(key: string, runIds: readonly string[]): void;
  /** Sets whether the resource with this key reports a change when it is asked. Resources opened before never do. */
  outdate(key: string, answer: () => Promise<boolean>): void;
  /** Reading a config waits until this is called. */
  holdReads(): () => void;
  /** Called whenever a config version is built. */
  onBuild(listener: () => void): void;
  /** Result of the teardown; `waits` while it has not ended. */
  ending(applied: Applied): () => readonly MaintenanceProblem[] | "waits";
  /** Starts a run that keeps a config version open. Its session id is `s` and the run id. */
  run(runId: string, options?: { directory?: string; parent?: string }): Promise<Pin>;
  refresh(request?: Partial<ApplyRequest>): Promise<Applied>;
  closeAll(): Promise<Applied>;
}

/** Digest key of a store that all worlds share. */
const digestKey = randomBytes(32);

export function openWorld(
  t: TestContext,
  configs: Record<string, Config> = { a: { digest: "1" } },
): World {
  const clock = createHandClock();
  const settings = new Map(Object.entries(configs));
  const behaviours = new Map<string, Behaviour>();
  const open = new Map<string, Opened>();
  const openings = new Map<string, number>();
  const patiences = new Map<string, (number | null)[]>();
  const outdated = new Map<string, () => Promise<boolean>>();
  const errors: string[] = [];
  const wanted: { directory: string; cause: string }[] = [];
  let lines: string[] = [];
  let listening = 0;
  let reads = Promise.resolve();
  let built: (() => void) | null = null;

  const openResource = async (key: string, signal: AbortSignal): Promise<Resource> => {
    const opening = (openings.get(key) ?? 0) + 1;
    openings.set(key, opening);
    const name = `${key} ${opening}`;
    lines.push(`open ${name}`);
    await behaviours.get(key)?.open?.(signal, opening);
    const listeners = new Set<() => void>();
    const resource: Resource = {
      version: () => state.version,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      notice: () => behaviours.get(key)?.notice?.() ?? null,
      revoke: () => lines.push(`revoke ${name}`),
      ...(outdated.has(key) ? { isOutdated: () => outdated.get(key)?.() ?? never } : {}),
      close: async () => {
        lines.push(`close ${name}`);
        listening += listeners.size;
        await behaviours.get(key)?.close?.(opening);
      },
    };
    const state = { version: "1", listeners, resource };
    open.set(key, state);
    return resource;
  };
  const loader: WorkspaceLoader = {
    read: async (directory) => {
      lines.push(`read ${directory}`);
      const config = settings.get(directory) ?? { digest: "", broken: "no such directory" };
      await reads;
      if (config.broken !== undefined) throw new WorkspaceError([problem(config.broken)]);
      return {
        digest: config.digest,
        notices: [],
        resources: (config.resources ?? []).map((key) => ({
          key,
          title: `server ${key}`,
          open: (signal, patience) => {
            patiences.set(key, [...(patiences.get(key) ?? []), patience]);
            return openResource(key, signal);
          },
        })),
        build: ({ generation, opened }) => {
          lines.push(`build ${directory} ${config.digest} [${[...opened.keys()].join(" ")}]`);
          built?.();
          return { generation, directory, setup: setupOf(config) };
        },
      };
    },
  };
  const host = createWorkspaceHost({
    loader,
    digestKey: () => digestKey,
    clock,
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
    onRefreshWanted: (directory, cause) => wanted.push({ directory, cause }),
  });
  t.after(async () => {
    const closed = host.close();
    await clock.move(60_000);
    await closed;
    assert.equal(clock.pending(), 0, "no timer is left");
    assert.deepEqual(host.list(), [], "nothing is left open");
    assert.equal(listening, 0, "nobody listens to what is closed");
  });
  const apply = (request: Partial<ApplyRequest>): Promise<Applied> =>
    host.apply({ kind: "refresh", directories: null, restart: [], revoke: [], ...request });
  return {
    host,
    clock,
    errors,
    wanted,
    log: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
    configure: (directory, config) => settings.set(directory, config),
    behave: (key, behaviour) => behaviours.set(key, behaviour),
    change: (key, version) => {
      const state = open.get(key);
      assert(state !== undefined, `${key} is not open`);
      state.version = version;
      for (const listener of state.listeners) listener();
    },
    patience: (key) => patiences.get(key) ?? [],
    outdate: (key, answer) => outdated.set(key, answer),
    use: (key, runIds) => {
      const found = open.get(key);
      assert(found !== undefined, `${key} is not open`);
      found.resource.isUsedBy = (runId) => runIds.includes(runId);
    },
    holdReads: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      reads = promise;
      return resolve;
    },
    onBuild: (listener) => {
      built = listener;
    },
    ending: (applied) => {
      let state: readonly MaintenanceProblem[] | "waits" = "waits";
      void applied.ended.then((problems) => (state = problems));
      return () => state;
    },
    run: async (runId, { directory = "a", parent } = {}) => {
      const sessionId = sessionOf(runId);
      const request = { directory, sessionId, parentRunId: parent ?? null };
      const pin = await host.acquire(request);
      pin.bind(runId);
      return pin;
    },
    refresh: (request = {}) => apply(request),
    closeAll: () => apply({ kind: "close" }),
  };
}

/** The run as a maintenance action names it. */
export function pinning(runId: string, directory = "a"): PinningRun {
  return { directory, sessionId: sessionOf(runId), runId };
}

export function sessionOf(runId: string): string {
  return `s${runId}`;
}

const never = Promise.resolve(false);

const noModels: Models = {
  chosen: null,
  small: null,
  disconnected: [],
  providers: [],
  open: () => assert.fail("nobody asks for a model"),
  release: () => {},
};

function setupOf({ limits }: Config): AgentSetup | null {
  if (limits === undefined) return null;
  const none = {
    maxSteps: null,
    stopGrace: null,
    budget: null,
    onBudget: null,
    askTime: null,
    recovery: null,
  };
  return usualSetup({ models: noModels, tools: [], limits: { ...none, ...limits } });
}

function problem(message: string): Notice {
  return { severity: "error", file: "holdfast.jsonc", line: 3, column: 1, key: "mcp.x", message };
}
