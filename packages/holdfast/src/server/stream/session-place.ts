import type { LaneEvent } from "../../kernel/event.ts";

/**
 * Position of a reader in one session: after the event with this seq. A store that was restored from a backup reuses
 * the seqs of lost events, so the time is compared too.
 */
export interface SessionPlace {
  readonly seq: number;
  /** Time of the event with this `seq`. Null: the client sent only the `seq` of the last event that it has read. */
  readonly at: number | null;
}

/** Position before all events. */
export const beginning = "0";

export function placeBehind({ seq, at }: Pick<LaneEvent, "seq" | "at">): string {
  return `${seq}-${at}`;
}

/** Parses a position. Returns null if the text is not a position. */
export function readPlace(text: string): SessionPlace | null {
  const [, seq, at] = /^(0|[1-9]\d{0,14})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  return seq === undefined ? null : { seq: Number(seq), at: at === undefined ? null : Number(at) };
}

export function seqOf(place: string): number {
  return readPlace(place)?.seq ?? 0;
}
