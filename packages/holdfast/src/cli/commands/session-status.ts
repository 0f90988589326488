import type { Session } from "@holdfast/sdk";
import { holdText } from "./holds.ts";

/** What a session is doing, in a few words; what needs a person comes first. */
export function statusText(session: Pick<Session, "status" | "holds" | "queued">): string {
  const { status, holds, queued } = session;
  const held = holds.map(
    (hold) => `${hold.kind === "failure" ? "held" : "needs you"}: ${holdText(hold)}`,
  );
  const waiting = queued > 0 ? [`${queued} queued`] : [];
  const own = words[status];
  const parts = status === "asking" ? [...own, ...held] : [...held, ...own];
  return [...parts, ...waiting].join(", ") || "idle";
}

const words: Readonly<Record<Session["status"], readonly string[]>> = {
  // These three are told by the holds, by the queue, and by there being nothing to tell.
  held: [],
  queued: [],
  idle: [],
  running: ["running"],
  asking: ["needs you: an answer is awaited"],
  stopping: ["stopping"],
  cutOff: ["cut off, goes on when it is continued"],
  working: ["busy"],
  deleted: ["deleted"],
};
