import type { WireEvent } from "@holdfast/sdk";
import { oneLine } from "./screen/text.ts";

/**
 * Returns the control sequences that notify a person who looks elsewhere: the bell, and a desktop notification in two
 * forms (OSC 9 and 777). Empty if the event needs no notification.
 */
export function notice(event: WireEvent): string {
  const text = noticeText(event);
  if (text === null) return "";
  const title = oneLine(text).replaceAll(";", ",");
  return `\u0007\u001b]9;${title}\u0007\u001b]777;notify;Holdfast;${title}\u0007`;
}

function noticeText(event: WireEvent): string | null {
  if (event.type === "ask.opened") return `Needs you: ${event.content?.question ?? "a question"}`;
  if (event.type !== "run.ended") return null;
  const { status } = event.outcome;
  return status === "completed" ? "Finished" : status === "failed" ? "Failed" : null;
}
