import type { WireEvent } from "@holdfast/sdk";

/** An event without the long texts of answers and results, for those who only look at when and how. */
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
