import type { LaneState } from "../../kernel/state.ts";
import type { ByActor } from "./command-parts.ts";

/** New sessions that begin with what another one has said. */
export interface CopyCommands {
  /** A session with the conversation of another up to a place in its log; null for all of it. */
  forkSession(input: ForkInput): Promise<LaneState>;
  /** A session as one JSON document, piece by piece, with every body that it refers to. */
  exportSession(sessionId: string): AsyncIterable<string>;
  /** An idle session with the conversation of an exported document, given as parsed JSON. */
  importSession(input: ImportInput): Promise<LaneState>;
}

export interface ForkInput extends ByActor {
  readonly sessionId: string;
  /** The last event's seq that the fork knows of; null for the log's end. */
  readonly at?: number | null;
  readonly newSessionId?: string;
}

export interface ImportInput extends ByActor {
  readonly document: unknown;
  readonly sessionId?: string;
  /** Where the new session works; the exported one's directory if left out. */
  readonly directory?: string;
}
