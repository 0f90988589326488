import type { Attachment, Outcome, WireEvent } from "@holdfast/sdk";

type EventOf<Type extends WireEvent["type"]> = Extract<WireEvent, { type: Type }>;
type Filled = "sessionId" | "seq" | "at" | "actor" | "version" | "truncated" | "type";

/** Resources that a run started without. */
interface Lacking {
  readonly without?: readonly string[];
}

/** Creates events of one session. Seqs and times count up. */
export function eventMaker(from = 0) {
  let seq = from;
  const make = <Type extends WireEvent["type"]>(
    type: Type,
    fields: Omit<EventOf<Type>, Filled> & { truncated?: boolean },
  ): WireEvent => {
    seq += 1;
    const base = {
      sessionId: "s",
      seq,
      at: 1_000 * seq,
      actor: { kind: "client", id: "ann" },
      version: 1,
      truncated: false,
      type,
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields match the type
    return { ...base, ...fields } as unknown as WireEvent;
  };
  const place = { fence: 1, attempt: 1 };
  return {
    make,
    accepted: (promptId: string, text: string) =>
      make("prompt.accepted", {
        promptId,
        contentHash: "h",
        body: "b",
        delivery: "queue",
        binding: null,
        reply: true,
        expiresAt: null,
        maxRunTime: null,
        budget: null,
        parent: null,
        resultOf: null,
        ...options,
        content: { text, attachments: [] },
      }),
    started: (runId: string, promptId: string, more: Lacking = {}) =>
      make("run.started", {
        runId,
        promptId,
        owner: "node",
        generation: null,
        limits: { maxSteps: 10, stopGrace: 5_000, budget: null },
        deadline: null,
        ...place,
        ...more,
        content: null,
      }),
    /** Resumed by another process, as the second attempt. */
    resumed: (runId: string, more: Lacking = {}) =>
      make("run.resumed", {
        runId,
        owner: "other",
        generation: null,
        formerGeneration: null,
        fence: 2,
        attempt: 2,
        ...more,
        content: null,
      }),
    opened: (runId: string, step: number) =>
      make("step.opened", { runId, step, ...place, content: null }),
    answered: (runId: string, step: number, text: string, calls: readonly string[] = []) =>
      make("step.answered", {
        runId,
        step,
        body: "b",
        calls: calls.map((callId) => ({ callId, name: "shell", repeatable: false })),
        usage: { inputTokens: 1, outputTokens: 2, cost: 0 },
        interrupted: false,
        ...place,
        content: {
          text,
          reasoning: null,
          model: null,
          summary: false,
          calls: calls.map((callId) => ({
            callId,
            name: "shell",
            input: { command: "ls" },
            repeatable: false,
          })),
        },
      }),
    toolStarted: (runId: string, callId: string) =>
      make("tool.started", { runId, callId, body: null, ...place, content: null }),
    toolEnded: (
      runId: string,
      callId: string,
      status: EventOf<"tool.ended">["status"],
      files: readonly Attachment[] = [],
    ) =>
      make("tool.ended", {
        runId,
        callId,
        status,
        body: null,
        ...place,
        content: { output: "out", extra: null, files },
      }),
    settled: (promptId: string, outcome: Outcome) =>
      make("prompt.settled", { promptId, outcome, content: null }),
    ended: (runId: string, outcome: Outcome, text: string | null = null) =>
      make("run.ended", {
        runId,
        attempt: 1,
        outcome,
        usage: { inputTokens: 1, outputTokens: 2, cost: 0 },
        content: text === null ? null : { text },
      }),
    stopping: (runId: string) =>
      make("run.stopping", {
        runId,
        outcome: cancelled(runId),
        mark: 1,
        deadline: 9_000,
        content: null,
      }),
  };
}

/** Prompt fields that do not matter in these tests. */
const options = {};

export function completed(runId: string): Outcome {
  return { status: "completed", reason: null, runId, result: null };
}

export function cancelled(runId: string | null): Outcome {
  return { status: "cancelled", reason: "sessionCancel", runId, result: null };
}
