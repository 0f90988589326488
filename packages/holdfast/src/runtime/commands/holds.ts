import type { LaneState } from "../../kernel/state.ts";
import { nobody, stateOf } from "./command-parts.ts";
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
  return {
    placeHold: (input) => {
      const { sessionId, actor = nobody } = input;
      const holdId = input.holdId ?? parts.newId("hold");
      const reason = parts.redact(input.reason);
      return stateOf(parts, { type: "hold.place", sessionId, holdId, reason, actor });
    },
    releaseHold: ({ sessionId, holdId, actor = nobody }) => {
      const target = { kind: "hold", holdId } as const;
      return stateOf(parts, { type: "hold.release", sessionId, target, actor });
    },
  };
}
