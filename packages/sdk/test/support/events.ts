import { frame } from "./scripted.ts";

/** An event of session s1 with the fields that a test is about. */
export function event(seq: number, type: string, fields: object = {}): EventLike {
  return { sessionId: "s1", seq, type, ...fields };
}

export interface EventLike {
  readonly sessionId: string;
  readonly seq: number;
  readonly type: string;
}

export function eventFrame(item: EventLike): string {
  return frame(item.type, item, item.seq);
}

/** So many events without anything special about them. */
export function someEvents(count: number): EventLike[] {
  return Array.from({ length: count }, (_, index) =>
    event(index + 1, "session.renamed", { title: `título ${index}`, auto: false }),
  );
}
