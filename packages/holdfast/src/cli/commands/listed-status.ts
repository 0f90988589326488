import { InvalidArgumentError } from "commander";
import type { Session } from "@holdfast/sdk";

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
