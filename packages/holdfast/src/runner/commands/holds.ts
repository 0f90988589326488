import type { LaneState } from "../../kernel/state.ts";
import { nobody, send } from "./command-parts.ts";
import type { ByActor, CommandParts } from "./command-parts.ts";

export interface HoldCommands {
  /** No new run starts; what is active goes on. The same id again is the same hold. */
  placeHold(input: HoldInput): Promise<LaneState>;
  releaseHold(input: { sessionId: string; holdId: string } & ByActor): Promise<LaneState>;
}

export interface HoldInput extends ByActor {
  readonly sessionId: string;
  readonly holdId?: string;
  readonly reason: string;
}

export function holdCommands(parts: CommandParts): HoldCommands {
  const { store } = parts;
  return {
    placeHold: async (input) => {
      const { sessionId, reason, actor = nobody } = input;
      const holdId = input.holdId ?? parts.newId("hold");
      const command = { type: "hold.place", sessionId, holdId, reason, actor } as const;
      const { state } = await send(store, { command });
      return state;
    },
    releaseHold: async ({ sessionId, holdId, actor = nobody }) => {
      const target = { kind: "hold", holdId } as const;
      const command = { type: "hold.release", sessionId, target, actor } as const;
      const { state } = await send(store, { command });
      return state;
    },
  };
}
