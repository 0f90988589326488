import type { LaneEvent } from "../../packages/holdfast/src/kernel/event.ts";

export const engineNames = ["sqlite", "postgres"] as const;
export type EngineName = (typeof engineNames)[number];

/** A real, durable database that is removed after the benchmark. */
export interface Engine {
  readonly name: EngineName;
  /** Creates an empty store. Returns its location, so that another process can open it. */
  newPlace(): Promise<Place>;
  /** Opens the bare database: the same settings and the same table as a store, but without the store's code. */
  openBare(): Promise<Bare>;
  stop(): Promise<void>;
}

export type Place =
  | { readonly engine: "sqlite"; readonly file: string }
  | { readonly engine: "postgres"; readonly url: string };

export interface Bare {
  /** Writes the rows of the events in one transaction. Resolves when they are durable. */
  write(events: readonly LaneEvent[]): Promise<void>;
  close(): Promise<void>;
}
