import { InvalidArgumentError } from "commander";
import type { Session } from "@holdfast/sdk";

/** What lists can be narrowed to: sessions that are deleted are in none. */
export type ListedStatus = Exclude<Session["status"], "deleted">;

export const sessionStatuses: readonly ListedStatus[] = [
  "idle",
  "queued",
  "running",
  "asking",
  "stopping",
  "cutOff",
  "working",
  "held",
];

/** Of a command line: names with commas between them. */
export function readStatuses(text: string): readonly ListedStatus[] {
  return text.split(",").map((word) => {
    const found = sessionStatuses.find((status) => status === word.trim());
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`A session is ${sessionStatuses.join(", ")}.`);
  });
}
