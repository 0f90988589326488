import type { Ask, Holdfast, Prompt } from "@holdfast/sdk";
import { inputRequestFor } from "./ask-input.ts";
import type { InputRequest } from "./ask-input.ts";

/** The prompt that a task represents. */
export interface TaskTarget {
  readonly sessionId: string;
  readonly promptId: string;
}

/** Builds a task id from the session id and the prompt id, because prompt ids are unique only in their session. */
export function taskIdOf({ sessionId, promptId }: TaskTarget): string {
  return `${sessionId}/${promptId}`;
}

/** Parses a task id. Returns null for an invalid id. */
export function targetOf(taskId: string): TaskTarget | null {
  const [sessionId = "", promptId = "", ...rest] = taskId.split("/");
  return sessionId === "" || promptId === "" || rest.length > 0 ? null : { sessionId, promptId };
}

/** A prompt presented as an MCP task. */
export interface PromptTask {
  readonly prompt: Prompt;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** Open permission requests and questions of the run that answers the prompt. */
  readonly asks: readonly Ask[];
}

export async function readTask(
  holdfast: Holdfast,
  target: TaskTarget,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PromptTask> {
  const session = holdfast.session(target.sessionId);
  const prompt = await session.promptById(target.promptId).get(options);
  if (prompt.status === "settled") return { prompt, status: prompt.outcome.status, asks: [] };
  const { runId } = prompt;
  const open = runId === null ? [] : (await session.asks({ open: true, ...options })).items;
  const asks = open.filter((ask) => ask.runId === runId);
  return { prompt, status: asks.length === 0 ? "working" : "input_required", asks };
}

/** Poll interval in milliseconds that is suggested to clients. */
const pollInterval = 1_000;

/** Returns the fields of a task that both protocol revisions have. */
function taskFields({ prompt, status }: PromptTask) {
  const at = prompt.settledAt ?? Date.now();
  return {
    taskId: taskIdOf(prompt),
    status,
    createdAt: new Date(prompt.acceptedAt).toISOString(),
    lastUpdatedAt: new Date(at).toISOString(),
    ...(status === "input_required"
      ? {
          statusMessage:
            "The run waits for a person: answer its questions and permission requests.",
        }
      : {}),
  };
}

/** Converts a task to the format of MCP revision 2025-11-25. Prompts are never deleted, so the task does not expire. */
export function legacyTask(task: PromptTask) {
  return { ...taskFields(task), ttl: null, pollInterval };
}

/** Converts a task to the format of the extension of MCP revision 2026-07-28, without its result. */
export function createdTask(task: PromptTask) {
  return { ...taskFields(task), ttlMs: null, pollIntervalMs: pollInterval };
}

/**
 * Like `createdTask`, with the result of the task or the input that it needs. A failed prompt is a completed task with
 * an error result: the protocol reserves `failed` for errors of the protocol itself.
 */
export function detailedTask(task: PromptTask) {
  const { status, prompt, asks } = task;
  const base = createdTask(task);
  if (status === "input_required") {
    const requests = asks.map((ask): [string, InputRequest] => [ask.askId, inputRequestFor(ask)]);
    return { ...base, inputRequests: Object.fromEntries(requests) };
  }
  if (status === "completed" || status === "failed") {
    return { ...base, status: "completed" as const, result: promptResult(prompt) };
  }
  return base;
}

/** Converts the outcome of a prompt to a tool result. */
export function promptResult(prompt: Prompt) {
  const { sessionId, promptId, status, outcome, result } = prompt;
  const structuredContent = {
    sessionId,
    promptId,
    taskId: taskIdOf(prompt),
    status: outcome?.status ?? status,
    reason: outcome?.reason ?? null,
    text: result,
  };
  const text = outcome === null ? `The prompt is ${status}.` : (result ?? outcome.status);
  return {
    content: [{ type: "text" as const, text }],
    structuredContent,
    isError: outcome !== null && outcome.status !== "completed",
  };
}
