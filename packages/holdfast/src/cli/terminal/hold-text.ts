import type { Hold, Reason } from "@holdfast/sdk";
import { oneLine } from "./printable.ts";

/** Describes why a session is paused. */
export function holdText(hold: Hold): string {
  switch (hold.kind) {
    case "person":
      return oneLine(hold.reason, 60);
    case "failure":
      return hold.retryAt === null
        ? reasonText(hold.reason)
        : `${reasonText(hold.reason)}, until ${timeText(hold.retryAt)}`;
    case "recovery":
      return "a run was cut off and waits for a person";
  }
}

function reasonText(reason: Reason): string {
  return caps.get(reason) ?? reason;
}

const caps: ReadonlyMap<Reason, string> = new Map([
  ["dailyCap", "the daily spending limit is reached"],
  ["monthlyCap", "the monthly spending limit is reached"],
  ["tokenCap", "the token's monthly spending limit is reached"],
]);

/** Formats a time, with the date if it is not today. */
function timeText(at: number): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? time.toLocaleTimeString() : time.toLocaleString();
}
