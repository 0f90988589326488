import type { LaneState, QueueItem, Run, ToolCall, UnsettledPrompt, Work } from "../state.ts";

export function onRun(state: LaneState, update: (run: Run) => Run): LaneState {
  if (state.active?.kind !== "run") return state;
  return { ...state, active: update(state.active) };
}

export function onWork(state: LaneState, update: (work: Work) => Work): LaneState {
  if (state.active?.kind !== "work") return state;
  return { ...state, active: update(state.active) };
}

export function onTool(
  state: LaneState,
  callId: string,
  update: (tool: ToolCall) => ToolCall,
): LaneState {
  return onRun(state, (run) => ({
    ...run,
    tools: run.tools.map((tool) => (tool.callId === callId ? update(tool) : tool)),
  }));
}

export function onPrompt(
  state: LaneState,
  promptId: string,
  update: (prompt: UnsettledPrompt) => UnsettledPrompt,
): LaneState {
  return {
    ...state,
    queue: state.queue.map((item) => (isPrompt(item, promptId) ? update(item) : item)),
  };
}

export function isPrompt(item: QueueItem, promptId: string): item is UnsettledPrompt {
  return item.kind === "prompt" && item.promptId === promptId;
}

export function isWork(item: QueueItem | Run | Work | null | undefined, workId: string): boolean {
  return item?.kind === "work" && item.workId === workId;
}
