import { createHash } from "node:crypto";
import { AgentFailure } from "../agent.ts";
import type { Fact } from "../agent.ts";
import type { CallRequest } from "../message.ts";
import { ModelError } from "../model/model.ts";
import type { Model, ModelPart, ModelRequest } from "../model/model.ts";
import type { AnswerExtra } from "./answer-extra.ts";
import { failureOf, retryDelay, waitFor } from "./retry.ts";

export interface StepRequest extends ModelRequest {
  readonly kind: AnswerExtra["kind"];
  readonly runId: string;
  /** Makes call ids that no other step of the session has. */
  readonly step: number;
  readonly maxTries: number;
  readonly random: () => number;
  /** Whether the tool of that name may be run again after a crash. */
  readonly repeatable: (name: string) => boolean;
}

export interface StepAnswer {
  readonly text: string;
  readonly calls: readonly StepCall[];
}

export interface StepCall extends CallRequest {
  /** Why its arguments cannot be used. */
  readonly problem: string | null;
}

/**
 * One answer of the model, streamed to whoever watches and yielded as one fact. A try that breaks
 * off leaves nothing behind: its deltas are taken back, and the next one begins anew.
 */
export async function* takeStep(
  model: Model,
  request: StepRequest,
): AsyncGenerator<Fact, StepAnswer> {
  for (let tries = 1; ; tries += 1) {
    const heard = { text: "", reasoning: "", calls: [] as HeardCall[] };
    try {
      let end: Extract<ModelPart, { type: "end" }> | null = null;
      for await (const part of model.stream(request)) {
        if (part.type === "end") end = part;
        else if (part.type === "call") heard.calls.push(part);
        else {
          heard[part.type] += part.text;
          yield { type: "delta", kind: part.type, text: part.text };
        }
      }
      if (end === null) throw new ModelError("transient", `${model.id}: the answer has no end`);
      if (end.finish === "filter" && heard.calls.length === 0) {
        throw new ModelError("contentFilter", `${model.id}: the provider refused to answer`);
      }
      const { answer, extra } = complete(model, request, { ...heard, end });
      const { text, calls } = answer;
      yield { type: "answer", text, calls: calls.map(withoutProblem), usage: end.usage, extra };
      return answer;
    } catch (error) {
      if (request.signal.aborted) {
        if (heard.text !== "") yield { type: "answer", text: heard.text, interrupted: true };
        throw error;
      }
      if (!(error instanceof ModelError)) throw error;
      const delay = retryDelay(error, { ...request, tries });
      if (delay === null) throw error;
      yield { type: "delta", kind: "restart", text: error.message };
      await waitFor(delay, request.signal);
    }
  }
}

/** The run's failure, where a model's error is one. */
export function asFailure(error: unknown): unknown {
  return error instanceof ModelError && !(error instanceof AgentFailure) ? failureOf(error) : error;
}

type HeardCall = Extract<ModelPart, { type: "call" }>;

function complete(
  model: Model,
  request: StepRequest,
  heard: {
    text: string;
    reasoning: string;
    calls: readonly HeardCall[];
    end: Extract<ModelPart, { type: "end" }>;
  },
): { answer: StepAnswer; extra: AnswerExtra } {
  const providerCalls: Record<string, string> = {};
  const calls = heard.calls.map(({ callId: theirs, name, input, problem }, index) => {
    const callId = callIdOf(request, index);
    providerCalls[callId] = theirs;
    return { callId, name, input, problem, repeatable: request.repeatable(name) };
  });
  const { kind } = request;
  const { reasoning, text, end } = heard;
  const extra = { kind, model: model.id, original: end.original, providerCalls, reasoning };
  return { answer: { text, calls }, extra };
}

function withoutProblem({ callId, name, input, repeatable }: StepCall): CallRequest {
  return { callId, name, input, repeatable };
}

/** Providers repeat their ids and differ in what they allow in them; the log's own are unique. */
function callIdOf(request: StepRequest, index: number): string {
  const { runId, step } = request;
  const digest = createHash("sha256").update(`${runId}/${step}/${index}`).digest("hex");
  return `call_${digest.slice(0, 16)}`;
}
