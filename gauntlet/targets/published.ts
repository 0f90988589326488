import type { Target } from "../target.ts";
import { acpTarget } from "./acp.ts";
import { codexTarget } from "./codex.ts";
import { opencodeNextTarget } from "./opencode-next.ts";
import { opencodeTarget } from "./opencode.ts";
import { nothing } from "./target-kind.ts";
import type { TargetKind } from "./target-kind.ts";

/** Products that the published package `holdfast-gauntlet` can test. The code for these products needs only Node. */
export const publishedKinds: readonly TargetKind[] = [
  {
    name: "acp",
    takesCommand: true,
    stores: [],
    open: async ({ command }) => ({ target: await acpTarget(command), close: nothing }),
  },
  downloaded("opencode", opencodeTarget),
  downloaded("opencode-next", opencodeNextTarget),
  downloaded("codex", codexTarget),
];

function downloaded(
  name: string,
  openTarget: (progress: (message: string) => void) => Promise<Target>,
): TargetKind {
  return {
    name,
    takesCommand: false,
    stores: [],
    open: async ({ progress }) => ({ target: await openTarget(progress), close: nothing }),
  };
}
