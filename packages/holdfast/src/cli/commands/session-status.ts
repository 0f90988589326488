import type { Session } from "@holdfast/sdk";
import { holdText } from "./holds.ts";
import { InvalidArgumentError } from "commander";

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

/** What lists can be narrowed to: sessions that are deleted are in none. */
export type ListedStatus = Exclude<Session["status"], "deleted">;

/** Each of them, or it does not compile. */
const listed: Readonly<Record<ListedStatus, true>> = {
  idle: true,
  queued: true,
  running: true,
  asking: true,
  stopping: true,
  cutOff: true,
  working: true,
  held: true,
};

export const sessionStatuses: readonly string[] = Object.keys(listed);

/** Of a command line: names with commas between them. */
export function readStatuses(text: string): readonly ListedStatus[] {
  return text.split(",").map((word) => {
    const status = word.trim();
    if (isListed(status)) return status;
    throw new InvalidArgumentError(`A session is ${sessionStatuses.join(", ")}.`);
  });
}

function isListed(text: string): text is ListedStatus {
  return Object.hasOwn(listed, text);
}
