import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createWorkspaceHost } from "../../src/workspace/host.ts";
import type { ApplyRequest } from "../../src/workspace/host.ts";
import { WorkspaceError } from "../../src/workspace/loader.ts";
import type { Resource, WorkspaceLoader } from "../../src/workspace/loader.ts";
import type { Pin } from "../../src/workspace/workspaces.ts";
import { createHandClock, settled } from "../support/hand-clock.ts";
import type { HandClock } from "../support/hand-clock.ts";

// In any order of requests, no resource is closed twice or while a run uses it, none stays open, and every request is
// answered.

type Manner = "at once" | "soon" | "fails" | "hangs" | "late";

type Move =
  | { readonly kind: "acquire"; readonly directory: string; readonly parent: number | null }
  | { readonly kind: "release"; readonly pin: number }
  | { readonly kind: "leave"; readonly pin: number }
  | { readonly kind: "configure"; readonly directory: string; readonly config: Config }
  | {
      readonly kind: "behave";
      readonly key: string;
      readonly opens: Manner;
      readonly closes: Manner;
    }
  | { readonly kind: "apply"; readonly request: ApplyRequest }
  | { readonly kind: "wait"; readonly milliseconds: number }
  | { readonly kind: "change" | "edit" | "settle" };

interface Config {
  readonly digest: number;
  readonly keys: readonly string[];
  readonly isBroken: boolean;
}

const directory = fc.constantFrom("a", "b");
const key = fc.constantFrom("mcp:x", "mcp:y", "provider:p");
const manner = fc.constantFrom<Manner>("at once", "at once", "soon", "fails", "hangs", "late");
const config: fc.Arbitrary<Config> = fc.record({
  digest: fc.nat(3),
  keys: fc.uniqueArray(key),
  isBroken: fc.nat(5).map((number) => number === 0),
});
const request: fc.Arbitrary<ApplyRequest> = fc.record({
  kind: fc.constantFrom("refresh", "refresh", "close"),
  directories: fc.option(fc.uniqueArray(directory)),
  restart: fc.uniqueArray(key, { maxLength: 1 }),
  revoke: fc.constantFrom([], [], ["p"]),
});
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("acquire"), directory, parent: fc.option(fc.nat(5)) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("release"), pin: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave"), pin: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("configure"), directory, config }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("behave"), key, opens: manner, closes: manner }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("apply"), request }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("wait"),
      milliseconds: fc.constantFrom(1, 9_000, 31_000, 1_000_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("change", "edit", "settle") }) },
);

test("M1 M3 M4 M6 in any order of requests, every resource is closed once and never during a run", async () => {
  const moves = fc.array(move, { maxLength: 40, size: "max" });
  await fc.assert(
    fc.asyncProperty(moves, fc.boolean(), async (all, isCut) => {
      const game = openGame();
      for (const each of all) await game.play(each);
      await (isCut ? game.cut() : game.finish());
    }),
    { numRuns: 300 },
  );
});

interface Game {
  play(move: Move): Promise<void>;
  /** Ends all runs, closes everything and lets time pass: every request must have its answer then. */
  finish(): Promise<void>;
  /** Closes the process in its current state. */
  cut(): Promise<void>;
}

interface Opened extends Resource {
  readonly closings: () => number;
}

function openGame(): Game {
  const clock = createHandClock();
  const configs = new Map<string, Config>();
  const opened: Opened[] = [];
  const pins: { readonly runId: string; readonly pin: Pin }[] = [];
  const leaving: AbortController[] = [];
  const promised = new Set<Promise<unknown>>();
  const manners = new Map<string, { readonly opens: Manner; readonly closes: Manner }>();
  /** Resources of each config version. */
  const made = new Map<string, ReadonlySet<Resource>>();
  let isOutdated = false;
  let runs = 0;
  let isEnding = false;
  let underRuns = 0;

  const loader: WorkspaceLoader = {
    read: async (path) => {
      const { digest, keys, isBroken } = configs.get(path) ?? {
        digest: 0,
        keys: [],
        isBroken: false,
      };
      isOutdated = false;
      await settled();
      if (isBroken) throw new WorkspaceError([]);
      return {
        digest: `${digest}`,
        notices: [],
        resources: keys.map((name) => ({
          key: name,
          title: name,
          open: async (signal) => {
            await behave(manners.get(name)?.opens, clock, signal);
            const resource = createResource(name);
            opened.push(resource);
            return resource;
          },
        })),
        build: ({ generation, opened: parts }) => {
          made.set(generation, new Set(parts.values()));
          return { generation, directory: path, setup: null };
        },
      };
    },
  };
  const isUsed = (resource: Resource): boolean => {
    const current = host.list().flatMap((each) => each.current?.id ?? []);
    const pinned = pins.map(({ pin }) => pin.workspace.generation);
    return [...current, ...pinned].some((generation) => made.get(generation)?.has(resource));
  };
  const createResource = (name: string): Opened => {
    const listeners = new Set<() => void>();
    let closings = 0;
    const resource: Opened = {
      version: () => "1",
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      isOutdated: async () => isOutdated,
      close: async () => {
        closings += 1;
        if (!isEnding && isUsed(resource)) underRuns += 1;
        await behave(manners.get(name)?.closes, clock, null);
      },
      closings: () => closings,
    };
    return resource;
  };
  const host = createWorkspaceHost({
    loader,
    clock,
    onError: () => {},
    onRefreshWanted: () => {},
  });

  const promise = (work: Promise<unknown>): void => {
    promised.add(work);
    void work.catch(() => {}).finally(() => promised.delete(work));
  };
  const acquire = async (path: string, parent: number | null): Promise<void> => {
    const runId = `r${(runs += 1)}`;
    const own = new AbortController();
    leaving.push(own);
    const parentRunId = parent === null ? null : (pins[parent % pins.length]?.runId ?? null);
    const { signal } = own;
    const pin = await host.acquire({ directory: path, sessionId: runId, parentRunId, signal });
    pin.bind(runId);
    pins.push({ runId, pin });
  };
  const play = async (each: Move): Promise<void> => {
    switch (each.kind) {
      case "acquire":
        promise(acquire(each.directory, each.parent));
        return;
      case "release":
        pins.splice(each.pin, 1)[0]?.pin.release();
        return;
      case "leave":
        leaving.splice(each.pin, 1)[0]?.abort();
        return;
      case "configure":
        configs.set(each.directory, each.config);
        return;
      case "behave":
        manners.set(each.key, each);
        return;
      case "apply":
        promise(host.apply(each.request).then(({ ended }) => ended));
        return;
      case "wait":
        await clock.move(each.milliseconds);
        return;
      case "change":
      case "edit":
        isOutdated = each.kind === "edit";
        return;
      case "settle":
        await settled();
        return;
    }
  };
  const end = async (): Promise<void> => {
    isEnding = true;
    const closed = host.close();
    await clock.move(120_000);
    await closed;
    await clock.move(1_000_000);
    assert.deepEqual(
      { underRuns, promised: promised.size, pending: clock.pending(), open: host.list() },
      { underRuns: 0, promised: 0, pending: 0, open: [] },
    );
    assert.deepEqual(
      opened.map(({ closings }) => closings()),
      opened.map(() => 1),
    );
  };
  return {
    play,
    finish: async () => {
      await clock.move(120_000);
      while (pins.length > 0) pins.pop()?.pin.release();
      await clock.move(120_000);
      assert.equal(promised.size, 0, "everybody is answered without a shutdown");
      await clock.move(2_000_000);
      assert.deepEqual(host.list(), [], "what nobody uses is closed");
      await end();
    },
    cut: end,
  };
}

async function behave(
  behaviour: Manner | undefined,
  clock: HandClock,
  signal: AbortSignal | null,
): Promise<void> {
  const after = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void clock.after(milliseconds, resolve));
  switch (behaviour) {
    case undefined:
    case "at once":
      return;
    case "soon":
      await after(5);
      return;
    case "fails":
      throw new Error("it fails");
    case "late":
      await after(60_000);
      return;
    case "hangs":
      await new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(new Error("told to stop"))),
      );
      return;
  }
}
