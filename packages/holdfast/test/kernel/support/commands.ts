import type {
  AcceptCommand,
  CancelScope,
  CommandData,
  CommandType,
  RunEndCommand,
  RunHandle,
  TakeoverCommand,
} from "../../../src/kernel/command.ts";
import type { AnsweredCall } from "../../../src/kernel/event.ts";
import { noUsage } from "../../../src/kernel/state.ts";

// Commands with default values for all fields, so that a test names only the fields that matter to it.

export type DataOf<T extends CommandType> = Extract<CommandData, { type: T }>;
export type Fields<T extends CommandType> = Partial<Omit<DataOf<T>, "type">>;

export const plentyOfRoom = { maxQueue: 1000, maxBytes: 1000, draining: false } as const;

export function createSession(fields: Fields<"session.create"> = {}): DataOf<"session.create"> {
  return {
    type: "session.create",
    contentHash: "created",
    directory: "/project",
    parent: null,
    budget: null,
    origin: null,
    ...fields,
  };
}

export function accept(
  promptId: string,
  fields: Partial<Omit<AcceptCommand, "type" | "promptId">> = {},
): AcceptCommand {
  const { delivery = "queue", reply = true, expectedRunId = null } = fields;
  return {
    type: "prompt.accept",
    promptId,
    contentHash: `${promptId}/${delivery}/${reply}/${expectedRunId}`,
    body: `body of ${promptId}`,
    bytes: 10,
    delivery,
    reply,
    expectedRunId,
    expiresAt: null,
    maxRunTime: null,
    budget: null,
    parent: null,
    resultOf: null,
    limits: plentyOfRoom,
    ...fields,
  };
}

export function edit(promptId: string, fields: Fields<"prompt.edit"> = {}): DataOf<"prompt.edit"> {
  return {
    type: "prompt.edit",
    promptId,
    revision: 1,
    body: `edited body of ${promptId}`,
    bytes: 10,
    maxBytes: 1000,
    ...fields,
  };
}

export function startRun(runId: string, fields: Fields<"run.start"> = {}): DataOf<"run.start"> {
  return {
    type: "run.start",
    runId,
    owner: "node1",
    generation: "generation1",
    maxSteps: 100,
    stopGrace: 5000,
    budget: null,
    opensStep: false,
    ...fields,
  };
}

/** A call is named by its id alone, or in full. */
export type Call = string | Partial<AnsweredCall>;

export function answerStep(
  handle: RunHandle,
  calls: readonly Call[] = [],
  fields: Fields<"step.answer"> = {},
): DataOf<"step.answer"> {
  return {
    type: "step.answer",
    handle,
    body: "the answer",
    calls: calls.map((call) => ({
      callId: "call",
      name: "tool",
      repeatable: false,
      ...(typeof call === "string" ? { callId: call } : call),
    })),
    usage: noUsage,
    interrupted: false,
    completes: null,
    ...fields,
  };
}

export function endRun(
  handle: RunHandle,
  outcome: Partial<RunEndCommand["outcome"]> = {},
  hold: RunEndCommand["hold"] = null,
): RunEndCommand {
  return {
    type: "run.end",
    handle,
    outcome: { status: "completed", reason: null, result: null, ...outcome },
    hold,
  };
}

export function openAsk(
  handle: RunHandle,
  askId: string,
  fields: Fields<"ask.open"> = {},
): DataOf<"ask.open"> {
  return {
    type: "ask.open",
    handle,
    askId,
    callId: null,
    body: "may it?",
    expiresAt: null,
    ...fields,
  };
}

export function linkChild(
  handle: RunHandle,
  child: { sessionId: string; promptId: string },
  fields: Fields<"child.link"> = {},
): DataOf<"child.link"> {
  return {
    type: "child.link",
    handle,
    childSessionId: child.sessionId,
    childPromptId: child.promptId,
    background: false,
    callId: null,
    create: null,
    ...fields,
  };
}

/** Fields of a session cancel are optional; every other scope must be complete. */
export type ScopeInput =
  | Exclude<CancelScope, { kind: "session" }>
  | { readonly kind?: "session"; readonly upTo?: number; readonly tree?: boolean };

/** Default: everything unsettled, like the stop button of a session. */
export function cancel(
  cancelId: string,
  scope: ScopeInput = {},
  reason: "force" | null = null,
): DataOf<"cancel"> {
  const whole: CancelScope =
    scope.kind === "prompt" || scope.kind === "queue" || scope.kind === "run"
      ? scope
      : { upTo: null, tree: false, ...scope, kind: "session" };
  return { type: "cancel", cancelId, scope: whole, reason };
}

export function takeover(fields: Partial<Omit<TakeoverCommand, "type">> = {}): TakeoverCommand {
  return {
    type: "lane.takeover",
    owner: "node2",
    generation: "generation2",
    recovery: "resume",
    ...fields,
  };
}

export function queueWork(workId: string, fields: Fields<"work.queue"> = {}): DataOf<"work.queue"> {
  return { type: "work.queue", workId, name: "compact", body: null, ...fields };
}

export function endWork(workId: string, fence: number): DataOf<"work.end"> {
  return { type: "work.end", workId, fence, body: `result of ${workId}` };
}
