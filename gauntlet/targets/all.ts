import { startPostgres } from "../../packages/holdfast/test/support/postgres.ts";
import { holdfastTarget } from "./holdfast.ts";
import { publishedKinds } from "./published.ts";
import { nothing } from "./target-kind.ts";
import type { OpenTarget, TargetKind } from "./target-kind.ts";

/** Targets in this repository: Holdfast from its sources, and the targets of the published package. */
export const allKinds: readonly TargetKind[] = [
  {
    name: "holdfast",
    takesCommand: false,
    stores: ["sqlite", "postgres"],
    open: ({ store }) => openHoldfast(store ?? "sqlite"),
  },
  ...publishedKinds,
];

async function openHoldfast(store: string): Promise<OpenTarget> {
  if (store === "sqlite") return { target: holdfastTarget({ store }), close: nothing };
  const server = await startPostgres({ durable: true });
  const target = holdfastTarget({ store, openStore: () => server.createDatabase() });
  return { target, close: () => server.stop() };
}
