import type { Command, CommandData } from "../../../src/kernel/command.ts";
import type { Left } from "./scenario.ts";
import { client } from "./world.ts";
import type { World, WorldLane } from "./world.ts";

/** One possible next step: a command, or an outside event such as a crash. */
export interface Action {
  readonly label: string;
  /** True for steps of the runner. These steps alone must settle every prompt (L3). */
  readonly isSteady: boolean;
  /** The lane asks for this step, so it must change something: otherwise the runner would loop forever. */
  readonly wanted: boolean;
  readonly happens:
    | { readonly kind: "command"; readonly command: Command; readonly promptKind: number | null }
    | { readonly kind: "crash"; readonly sessionId: string }
    | { readonly kind: "time"; readonly now: number };
  /** The allowance that the step uses up if it changes anything. */
  readonly spends: keyof Left | null;
}

export interface ActionOptions {
  readonly isSteady?: boolean;
  readonly wanted?: boolean;
  readonly spends?: keyof Left;
  readonly promptKind?: number;
}

/** Collects the possible next steps of one world. */
export interface Choices {
  readonly world: World;
  readonly actions: Action[];
}

export function offer(
  choices: Choices,
  target: { lane: WorldLane; label: string; data: CommandData },
  options: ActionOptions = {},
): void {
  const { lane, label, data } = target;
  const { sessionId } = lane;
  const { wanted = false, isSteady = wanted, spends = null, promptKind = null } = options;
  if (spends !== null && choices.world.left[spends] === 0) return;
  const command: Command = { sessionId, actor: client, at: choices.world.now, ...data };
  choices.actions.push({
    label: `${sessionId}: ${label}`,
    isSteady,
    wanted,
    happens: { kind: "command", command, promptKind },
    spends,
  });
}
