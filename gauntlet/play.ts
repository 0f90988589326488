import { startPostgres } from "../packages/holdfast/test/support/postgres.ts";
import { playScenario } from "./scenario.ts";
import type { Played, Scenario } from "./scenario.ts";
import type { Report } from "./report.ts";
import type { Target } from "./target.ts";
import { holdfastTarget } from "./targets/holdfast.ts";

export const stores = ["sqlite", "postgres"] as const;
export type StoreKind = (typeof stores)[number];

/** Plays the scenarios one after the other, each on a target of its own with nothing in it. */
export async function play(options: {
  store: StoreKind;
  scenarios: readonly Scenario[];
  onPlayed?: (played: Played) => void;
}): Promise<Report> {
  const { store, scenarios, onPlayed } = options;
  const { target, close } = await openTarget(store);
  try {
    const played: Played[] = [];
    for (const scenario of scenarios) {
      const result = await playScenario(target, scenario);
      played.push(result);
      onPlayed?.(result);
    }
    return { target: target.name, store, played };
  } finally {
    await close();
  }
}

async function openTarget(
  store: StoreKind,
): Promise<{ target: Target; close: () => Promise<void> }> {
  if (store === "sqlite") return { target: holdfastTarget(), close: async () => {} };
  const server = await startPostgres({ durable: true });
  const target = holdfastTarget({ openStore: () => server.createDatabase() });
  return { target, close: () => server.stop() };
}
