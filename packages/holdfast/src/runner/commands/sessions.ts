import type { Budget, LaneState } from "../../kernel/state.ts";
import { contentHash } from "../prompt.ts";
import { nobody, send } from "./command-parts.ts";
import type { ByActor, CommandParts } from "./command-parts.ts";

/** What people do to a session as a whole. */
export interface SessionCommands {
  /** The same id with the same content is the same session (P3). */
  createSession(input: SessionInput): Promise<LaneState>;
  renameSession(input: { sessionId: string; title: string } & ByActor): Promise<LaneState>;
  /** A label only: an accepted prompt takes it off again. */
  archiveSession(input: { sessionId: string; archived: boolean } & ByActor): Promise<LaneState>;
  /** Cancels all that is unsettled, and refuses what comes later (M8). */
  deleteSession(input: { sessionId: string } & ByActor): Promise<LaneState>;
}

export interface SessionInput extends ByActor {
  readonly sessionId?: string;
  readonly directory: string;
  readonly title?: string;
  readonly budget?: Budget | null;
}

export function sessionCommands(parts: CommandParts): SessionCommands {
  const { store } = parts;
  return {
    createSession: async (input) => {
      const { directory, title, budget = null, actor = nobody } = input;
      const sessionId = input.sessionId ?? parts.newId("session");
      const hash = contentHash({ directory, budget, title });
      const empty = { parent: null, origin: null } as const;
      const create = { type: "session.create", contentHash: hash, ...empty } as const;
      const command = { ...create, sessionId, directory, budget, actor };
      const { state } = await send(store, { command });
      if (title === undefined || state.title !== null) return state;
      // Not over a title that somebody gave it since: the creation may be a repeated one.
      const rename = { type: "session.rename", sessionId, title, auto: true, actor } as const;
      return (await send(store, { command: rename })).state;
    },
    renameSession: async ({ sessionId, title, actor = nobody }) => {
      const command = { type: "session.rename", sessionId, title, auto: false, actor } as const;
      return (await send(store, { command })).state;
    },
    archiveSession: async ({ sessionId, archived, actor = nobody }) => {
      const command = { type: "session.archive", sessionId, archived, actor } as const;
      return (await send(store, { command })).state;
    },
    deleteSession: async ({ sessionId, actor = nobody }) => {
      const { state } = await send(store, {
        command: { type: "session.delete", sessionId, actor },
      });
      return state;
    },
  };
}
