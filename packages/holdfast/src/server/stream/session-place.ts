import type { LaneEvent } from "../../kernel/event.ts";

/**
 * Where a reader of one session stands: behind the event with this seq. A store that was restored from a
 * backup gives the seqs of what it has lost to other events: their time tells them apart.
 */
export interface SessionPlace {
  readonly seq: number;
  /** Of that event; null when the reader says the seq alone. */
  readonly at: number | null;
}

/** Before everything. */
export const beginning = "0";

export function placeBehind({ seq, at }: Pick<LaneEvent, "seq" | "at">): string {
  return `${seq}-${at}`;
}

/** Null for what can be no place. */
export function readPlace(text: string): SessionPlace | null {
  const [, seq, at] = /^(0|[1-9]\d{0,14})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  return seq === undefined ? null : { seq: Number(seq), at: at === undefined ? null : Number(at) };
}

export function seqOf(place: string): number {
  return readPlace(place)?.seq ?? 0;
}
