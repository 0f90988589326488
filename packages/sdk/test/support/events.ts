import { frame } from "./scripted.ts";

/** An event of session s1 with the given fields. */
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

/** Creates ordinary events. */
export function someEvents(count: number): EventLike[] {
  return Array.from({ length: count }, (_, index) =>
    event(index + 1, "session.renamed", { title: `título ${index}`, auto: false }),
  );
}
