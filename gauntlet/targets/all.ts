import { startPostgres } from "../../packages/holdfast/test/support/postgres.ts";
import type { Target } from "../target.ts";
import { acpTarget } from "./acp.ts";
import { codexTarget } from "./codex.ts";
import { holdfastTarget } from "./holdfast.ts";
import { opencodeNextTarget } from "./opencode-next.ts";
import { opencodeTarget } from "./opencode.ts";

export const targetNames = ["holdfast", "opencode", "opencode-next", "codex", "acp"] as const;
export type TargetName = (typeof targetNames)[number];

export const stores = ["sqlite", "postgres"] as const;
export type StoreKind = (typeof stores)[number];

export interface OpenTarget {
  readonly target: Target;
  readonly close: () => Promise<void>;
}

/** Prepares a target. Downloads it if it is not installed. */
export async function openTarget(options: {
  name: TargetName;
  /** Kind of store to use. Only for Holdfast. */
  store: StoreKind;
  /** Start command of the agent. Only for an ACP agent. */
  command: readonly string[];
  progress: (message: string) => void;
}): Promise<OpenTarget> {
  const { name, store, command, progress } = options;
  switch (name) {
    case "holdfast":
      return openHoldfast(store);
    case "opencode":
      return { target: await opencodeTarget(progress), close: nothing };
    case "opencode-next":
      return { target: await opencodeNextTarget(progress), close: nothing };
    case "codex":
      return { target: await codexTarget(progress), close: nothing };
    case "acp":
      return { target: await acpTarget(command), close: nothing };
  }
}

async function openHoldfast(store: StoreKind): Promise<OpenTarget> {
  if (store === "sqlite") return { target: holdfastTarget({ store }), close: nothing };
  const server = await startPostgres({ durable: true });
  const target = holdfastTarget({ store, openStore: () => server.createDatabase() });
  return { target, close: () => server.stop() };
}

async function nothing(): Promise<void> {}
