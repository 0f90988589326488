import type { LaneEvent } from "../../packages/holdfast/src/kernel/event.ts";

export const engineNames = ["sqlite", "postgres"] as const;
export type EngineName = (typeof engineNames)[number];

/** A real database that keeps what it has committed, and is gone after the run. */
export interface Engine {
  readonly name: EngineName;
  /** Makes a place for a new, empty store and says how to open it, also from another process. */
  newPlace(): Promise<Place>;
  /** The bare database: the same settings and the same table, with nothing of the store above. */
  openBare(): Promise<Bare>;
  stop(): Promise<void>;
}

export type Place =
  | { readonly engine: "sqlite"; readonly file: string }
  | { readonly engine: "postgres"; readonly url: string };

export interface Bare {
  /** Writes the events' rows in one transaction, and answers when that is durable. */
  write(events: readonly LaneEvent[]): Promise<void>;
  close(): Promise<void>;
}
