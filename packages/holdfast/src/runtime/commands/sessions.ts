import type { Budget, LaneState, OnBudget, SessionMode } from "../../kernel/state.ts";
import { contentHash } from "../../runner/prompt.ts";
import { nobody, stateOf } from "./command-context.ts";
import type { ByActor, CommandContext } from "./command-context.ts";

/** Commands on a session as a whole. */
export interface SessionCommands {
  /** Creates a session. The same id with the same content is the same session (P3). */
  createSession(input: SessionInput): Promise<LaneState>;
  renameSession(input: { sessionId: string; title: string } & ByActor): Promise<LaneState>;
  /** Archives or unarchives a session. This is only a label, which the next accepted prompt removes. */
  archiveSession(input: { sessionId: string; archived: boolean } & ByActor): Promise<LaneState>;
  /** Sets the permission mode. It applies from the next tool call on, in child sessions too. */
  setMode(input: { sessionId: string; mode: SessionMode } & ByActor): Promise<LaneState>;
  /** Cancels everything unsettled and refuses later commands (M8). */
  deleteSession(input: { sessionId: string } & ByActor): Promise<LaneState>;
}

export interface SessionInput extends ByActor {
  readonly sessionId?: string;
  readonly directory: string;
  readonly title?: string;
  readonly budget?: Budget | null;
  /** Effect when the budget is used up. Default: the run fails. */
  readonly onBudget?: OnBudget;
}

export function sessionCommands(context: CommandContext): SessionCommands {
  return {
    createSession: async (input) => {
      const { directory, title, budget = null, onBudget, actor = nobody } = input;
      const asks = onBudget === "ask" ? { onBudget } : {};
      const sessionId = input.sessionId ?? context.newId("session");
      const hash = contentHash({ directory, budget, title, ...asks });
      const empty = { parent: null, origin: null } as const;
      const create = { type: "session.create", contentHash: hash, ...empty } as const;
      const command = { ...create, ...asks, sessionId, directory, budget, actor };
      const { state } = await context.send({ command });
      if (title === undefined || state.title !== null) return state;
      // Does not replace an existing title: the request may be a repetition, and the title may have been changed
      // after the first one.
      const rename = { type: "session.rename", sessionId, auto: true, actor } as const;
      return stateOf(context, { ...rename, title: context.redact(title) });
    },
    renameSession: async ({ sessionId, title, actor = nobody }) => {
      const rename = { type: "session.rename", sessionId, auto: false, actor } as const;
      return stateOf(context, { ...rename, title: context.redact(title) });
    },
    archiveSession: ({ sessionId, archived, actor = nobody }) =>
      stateOf(context, { type: "session.archive", sessionId, archived, actor }),
    setMode: ({ sessionId, mode, actor = nobody }) =>
      stateOf(context, { type: "session.setMode", sessionId, mode, actor }),
    deleteSession: ({ sessionId, actor = nobody }) =>
      stateOf(context, { type: "session.delete", sessionId, actor }),
  };
}

export interface HoldCommands {
  /** Pauses the session: no new run starts, the active one continues. The same id is the same hold. */
  placeHold(input: HoldInput): Promise<LaneState>;
  releaseHold(input: { sessionId: string; holdId: string } & ByActor): Promise<LaneState>;
}

interface HoldInput extends ByActor {
  readonly sessionId: string;
  readonly holdId?: string;
  readonly reason: string;
}

export function holdCommands(context: CommandContext): HoldCommands {
  return {
    placeHold: (input) => {
      const { sessionId, actor = nobody } = input;
      const holdId = input.holdId ?? context.newId("hold");
      const reason = context.redact(input.reason);
      return stateOf(context, { type: "hold.place", sessionId, holdId, reason, actor });
    },
    releaseHold: ({ sessionId, holdId, actor = nobody }) => {
      const target = { kind: "hold", holdId } as const;
      return stateOf(context, { type: "hold.release", sessionId, target, actor });
    },
  };
}
