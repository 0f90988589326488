import { createHash } from "node:crypto";
import { sleep } from "../../base/time.ts";
import type { Fact } from "../agent.ts";
import type { CallRequest } from "../message.ts";
import { ModelError } from "../model/model.ts";
import type { Finish, Model, ModelPart, ModelRequest } from "../model/model.ts";
import { failure } from "../model/provider-errors.ts";
import type { AnswerExtra } from "./answer-extra.ts";
import { failureOf, retryDelay } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";

export interface StepRequest extends ModelRequest {
  readonly kind: AnswerExtra["kind"];
  readonly runId: string;
  /** Makes call ids that no other step of the session has. */
  readonly step: number;
  readonly retry: RetryOptions;
  /** Whether the tool of that name may be run again after a crash. */
  readonly repeatable: (name: string) => boolean;
}

export interface StepAnswer {
  readonly text: string;
  readonly calls: readonly StepCall[];
  readonly finish: Finish;
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
    const heard: Heard = { text: "", reasoning: "", calls: [] };
    try {
      const end = yield* listen(model, request, heard);
      checkAnswer(model, { ...heard, end });
      const { answer, extra } = complete(model, request, { ...heard, end });
      const { text, calls } = answer;
      const { usage } = end;
      const last = request.kind === "answer" && calls.length === 0 && end.finish !== "length";
      yield { type: "answer", text, calls: calls.map(withoutProblem), usage, extra, last };
      return answer;
    } catch (error) {
      if (request.signal.aborted) {
        // Half a summary would stand for a conversation that it does not hold.
        const partial = request.kind === "answer" ? heard.text : "";
        if (partial !== "") yield { type: "answer", text: partial, interrupted: true };
        throw error;
      }
      if (!(error instanceof ModelError)) throw error;
      const delay = retryDelay(error, { ...request.retry, tries });
      if (delay === null) throw error;
      yield { type: "delta", kind: "restart", text: error.message };
      await sleep(delay, { signal: request.signal });
    }
  }
}

/** The run's failure, where a model's error is one. */
export function asFailure(error: unknown): unknown {
  return error instanceof ModelError ? failureOf(error) : error;
}

type HeardCall = Extract<ModelPart, { type: "call" }>;
type End = Extract<ModelPart, { type: "end" }>;

interface Heard {
  text: string;
  reasoning: string;
  readonly calls: HeardCall[];
}

/** Gathers the answer as it comes. A summary is not for those who watch. */
async function* listen(
  model: Model,
  request: StepRequest,
  heard: Heard,
): AsyncGenerator<Fact, End> {
  for await (const part of model.stream(request)) {
    switch (part.type) {
      case "end":
        return part;
      case "call":
        heard.calls.push(part);
        break;
      case "text":
      case "reasoning":
        heard[part.type] += part.text;
        if (request.kind === "answer") yield { type: "delta", kind: part.type, text: part.text };
    }
  }
  throw new ModelError("transient", `${model.id}: the answer has no end`);
}

/** Past this the log does not take an answer, and nobody means it. */
const mostCalls = 1_000;

function checkAnswer(model: Model, heard: Heard & { end: End }): void {
  const { text, calls, end } = heard;
  const { id: provider } = model;
  if (end.finish === "filter" && calls.length === 0) {
    throw failure("contentFilter", { provider, detail: "the answer was refused" });
  }
  if (calls.length > mostCalls) {
    const detail = `${calls.length} calls in one answer; at most ${mostCalls} can be carried out`;
    throw failure("endless", { provider, detail });
  }
  if (text.trim() !== "" || calls.length > 0) return;
  const cut = end.finish === "length";
  const detail = cut ? "reached its limit before its first word" : "the answer has no words";
  throw failure("empty", { provider, detail });
}

function complete(
  model: Model,
  request: StepRequest,
  heard: Heard & { end: End },
): { answer: StepAnswer; extra: AnswerExtra } {
  const { kind } = request;
  const { reasoning, text, end } = heard;
  const { original, usage, finish } = end;
  const providerCalls: Record<string, string> = {};
  const calls = heard.calls.map(({ callId: theirs, name, input, problem }, index) => {
    const callId = callIdOf(request, index);
    providerCalls[callId] = theirs;
    const why = problem !== null && finish === "length" ? cutArguments : problem;
    return { callId, name, input, problem: why, repeatable: request.repeatable(name) };
  });
  const tokens = usage.inputTokens + usage.outputTokens;
  const extra = { kind, model: model.id, original, providerCalls, reasoning, tokens };
  return { answer: { text, calls, finish }, extra };
}

/** Otherwise a model that writes too much at a time would write it again, and again. */
const cutArguments =
  "the answer reached the model's limit before they were whole. Do it in smaller pieces, in several calls.";

function withoutProblem({ callId, name, input, repeatable }: StepCall): CallRequest {
  return { callId, name, input, repeatable };
}

/** Providers repeat their ids and differ in what they allow in them; the log's own are unique. */
function callIdOf(request: StepRequest, index: number): string {
  const { runId, step } = request;
  const digest = createHash("sha256").update(`${runId}/${step}/${index}`).digest("hex");
  return `call_${digest.slice(0, 16)}`;
}
