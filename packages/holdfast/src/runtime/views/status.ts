import { capsAt } from "../../kernel/cap.ts";
import type { Caps } from "../../kernel/cap.ts";
import { noUsage } from "../../kernel/state.ts";
import type { Budget, Usage } from "../../kernel/state.ts";
import type { Store } from "../../store/store.ts";
import type { ActiveRun, Runner } from "../../runner/runner.ts";

/** Current state of this process. */
export interface RuntimeStatus {
  /** Node id of this process; null without a lease. */
  readonly nodeId: string | null;
  readonly draining: boolean;
  readonly running: readonly ActiveRun[];
  /** Number of lanes that are ready for a run or an exclusive operation; counted up to `countedLanes`. */
  readonly waiting: number;
  /** Directories that are not on this machine, with the number of lanes that wait for a node that has them. */
  readonly absent: readonly { readonly directory: string; readonly waiting: number }[];
  /** Spending of the current day and month, and its limits. */
  readonly caps: readonly CapView[];
}

export interface CapView {
  readonly cap: "day" | "month";
  readonly spent: Usage;
  readonly limit: Budget;
  readonly resetsAt: number;
}

/** Maximum number of waiting lanes to count. */
const countedLanes = 1_000;

export async function runtimeStatus(
  sources: { store: Store; runner: Runner; caps: () => Caps | null },
  draining: boolean,
): Promise<RuntimeStatus> {
  const { store, runner } = sources;
  const { lanes } = await store.pending({ limit: countedLanes, wants: ["start", "work"] });
  const absent = runner.absent().map((directory) => ({
    directory,
    waiting: lanes.filter((lane) => lane.directory === directory).length,
  }));
  return {
    nodeId: runner.nodeId(),
    draining,
    running: runner.activeRuns(),
    waiting: lanes.length,
    absent: absent.filter(({ waiting }) => waiting > 0),
    caps: await readCaps(store, sources.caps()),
  };
}

async function readCaps(store: Store, caps: Caps | null): Promise<readonly CapView[]> {
  if (caps === null) return [];
  const all = capsAt(caps, await store.now(), []);
  const accounts = await store.accounts(all.map(({ accountId }) => accountId));
  return all.flatMap(({ kind, accountId, limit, resetsAt }) => {
    const spent = accounts.find(({ id }) => id === accountId)?.spent ?? noUsage;
    return kind === "token" ? [] : [{ cap: kind, spent, limit, resetsAt }];
  });
}
