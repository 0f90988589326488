import type { Session } from "@holdfast/sdk";
import { holdText } from "../terminal/hold-text.ts";
import { InvalidArgumentError } from "commander";

/** Returns the state of a session in a few words. A state in which the session waits for a person comes first. */
export function statusText(session: Pick<Session, "status" | "holds" | "queued">): string {
  const { status, holds, queued } = session;
  const held = holds.map(
    (hold) => `${hold.kind === "failure" ? "paused" : "needs you"}: ${holdText(hold)}`,
  );
  const waiting = queued > 0 ? [`${queued} queued`] : [];
  const own = words[status];
  const states = status === "asking" ? [...own, ...held] : [...held, ...own];
  return [...states, ...waiting].join(", ") || "idle";
}

const words: Readonly<Record<Session["status"], readonly string[]>> = {
  // No words for these states: the caller prints the reason of the pause, the number of queued prompts, or "idle".
  held: [],
  queued: [],
  idle: [],
  running: ["running"],
  asking: ["needs you: waiting for an answer"],
  stopping: ["stopping"],
  cutOff: ["cut off, continues with the next prompt"],
  working: ["busy"],
  deleted: ["deleted"],
};

/** Statuses by which lists can be filtered. Deleted sessions are in no list. */
export type ListedStatus = Exclude<Session["status"], "deleted">;

/** All statuses that lists can be filtered by. A record, so that the compiler reports a missing status. */
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

/** Parses status names separated by commas. */
export function readStatuses(text: string): readonly ListedStatus[] {
  return text.split(",").map((word) => {
    const status = word.trim();
    if (isListed(status)) return status;
    throw new InvalidArgumentError(
      `Write one or more of these, separated by commas: ${sessionStatuses.join(", ")}.`,
    );
  });
}

function isListed(text: string): text is ListedStatus {
  return Object.hasOwn(listed, text);
}
