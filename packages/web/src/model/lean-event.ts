import type { WireEvent } from "@holdfast/sdk";

/** Removes the long texts of answers and results, for views that show only times and outcomes. */
export function leanEvent(event: WireEvent): WireEvent {
  if (event.type === "step.answered" && event.content !== null) {
    const calls = event.content.calls.map((call) => ({ ...call, input: null }));
    return { ...event, content: { ...event.content, text: "", reasoning: null, calls } };
  }
  if (event.type === "tool.ended" && event.content !== null) {
    return { ...event, content: { ...event.content, output: "", extra: null } };
  }
  return event;
}
