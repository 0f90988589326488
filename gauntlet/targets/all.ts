import { startPostgres } from "../../packages/holdfast/test/support/postgres.ts";
import { holdfastTarget } from "./holdfast.ts";
import type { HostedAgent } from "./holdfast.ts";
import { hostedAgent } from "./hosted.ts";
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
  {
    name: "hosted",
    takesCommand: true,
    stores: ["sqlite", "postgres"],
    open: ({ store, command }) => openHoldfast(store ?? "sqlite", hostedAgent(command)),
  },
  ...publishedKinds,
];

async function openHoldfast(store: string, hosted?: HostedAgent): Promise<OpenTarget> {
  const options = hosted === undefined ? { store } : { store, hosted };
  if (store === "sqlite") return { target: holdfastTarget(options), close: nothing };
  const server = await startPostgres({ durable: true });
  const target = holdfastTarget({ ...options, openStore: () => server.createDatabase() });
  return { target, close: () => server.stop() };
}
