import type { Budget, LaneState, OnBudget, SessionMode } from "../../kernel/state.ts";
import { contentHash } from "../../runner/prompt.ts";
import { nobody, stateOf } from "./command-context.ts";
import type { ByActor, CommandContext } from "./command-context.ts";

/** Commands on a session as a whole. */
export interface SessionCommands {
  /** Creates a session. Repeating a request with the same id and content returns the same session (P3). */
  createSession(input: SessionInput): Promise<LaneState>;
  renameSession(input: { sessionId: string; title: string } & ByActor): Promise<LaneState>;
  /** Archives or unarchives a session. Archiving only hides it from lists; the next accepted prompt unarchives it. */
  archiveSession(input: { sessionId: string; archived: boolean } & ByActor): Promise<LaneState>;
  /** Sets the permission mode. It applies from the next tool call on, including in child sessions. */
  setMode(input: { sessionId: string; mode: SessionMode } & ByActor): Promise<LaneState>;
  /** Sets the agent of later runs whose prompt names none; null: the default agent of the directory. */
  setAgent(input: { sessionId: string; agent: string | null } & ByActor): Promise<LaneState>;
  /** Deletes a session: cancels everything unsettled in it and refuses later commands (M8). */
  deleteSession(input: { sessionId: string } & ByActor): Promise<LaneState>;
}

export interface SessionInput extends ByActor {
  readonly sessionId?: string;
  readonly directory: string;
  readonly title?: string;
  readonly budget?: Budget | null;
  /** Action when the budget is used up. Default: the run fails. */
  readonly onBudget?: OnBudget;
  /** Agent of the session. Default: the default agent of its directory. */
  readonly agent?: string | null;
}

export function sessionCommands(context: CommandContext): SessionCommands {
  return {
    createSession: async (input) => {
      const { directory, title, budget = null, onBudget, agent = null, actor = nobody } = input;
      const asks = onBudget === "ask" ? { onBudget } : {};
      const sessionId = input.sessionId ?? context.newId("session");
      const named = agent === null ? {} : { agent };
      // A repeated request works even if the directory no longer has the agent (P3).
      const isNew = agent !== null && (await context.store.lane(sessionId)) === null;
      if (isNew) await context.expectAgent(agent, directory);
      const hash = contentHash({ directory, budget, title, ...asks, ...named });
      const empty = { parent: null, origin: null } as const;
      const create = { type: "session.create", contentHash: hash, ...empty } as const;
      const command = { ...create, ...asks, ...named, sessionId, directory, budget, actor };
      const { state } = await context.send({ command });
      if (title === undefined || state.title !== null) return state;
      // `auto` keeps an existing title: this may be a repeated request, and the title may have been changed since.
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
    setAgent: async ({ sessionId, agent, actor = nobody }) => {
      const lane = agent === null ? null : await context.store.lane(sessionId);
      if (agent !== null && lane !== null) await context.expectAgent(agent, lane.directory);
      return stateOf(context, { type: "session.setAgent", sessionId, agent, actor });
    },
    deleteSession: ({ sessionId, actor = nobody }) =>
      stateOf(context, { type: "session.delete", sessionId, actor }),
  };
}

export interface HoldCommands {
  /**
   * Pauses the session: no new run starts, and the active run continues. Repeating an id does not create a second hold.
   */
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
