import { createHash } from "node:crypto";
import { sleep } from "../../base/time.ts";
import type { Fact } from "../agent.ts";
import type { CallRequest } from "../message.ts";
import { ModelError } from "../model/model.ts";
import type { Finish, Model, ModelPart, ModelRequest } from "../model/model.ts";
import { failure } from "../model/provider-errors.ts";
import { remark } from "./answer-extra.ts";
import type { AnswerExtra } from "./answer-extra.ts";
import { failureOf, retryDelay } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";
import type { UnpaidUsage } from "./unpaid-usage.ts";

export interface StepRequest extends ModelRequest {
  readonly kind: AnswerExtra["kind"];
  readonly runId: string;
  /** Number of the step in the session, used to make call ids unique. */
  readonly step: number;
  readonly retry: RetryOptions;
  /** True if the tool with this name may run again after a crash. */
  readonly repeatable: (name: string) => boolean;
  /** Usage to add to the next answer: of model calls of tools, and of tries whose answer could not be used. */
  readonly unpaid: UnpaidUsage;
}

export interface StepAnswer {
  readonly text: string;
  readonly calls: readonly StepCall[];
  readonly finish: Finish;
}

export interface StepCall extends CallRequest {
  /** The reason why the arguments cannot be used; null if they are valid. */
  readonly problem: string | null;
}

/**
 * Requests one answer from the model. The answer is streamed as deltas and then yielded as one fact. If a try fails,
 * its deltas are discarded and the next try starts from the beginning.
 */
export async function* takeStep(
  model: Model,
  request: StepRequest,
): AsyncGenerator<Fact, StepAnswer> {
  const { unpaid } = request;
  for (let tries = 1; ; tries += 1) {
    const received: Received = { text: "", reasoning: "", calls: [] };
    try {
      const end = yield* receive(model, request, received);
      // The provider charges this answer even if it cannot be used.
      unpaid.add(end.usage);
      checkAnswer(model, { ...received, end });
      const { answer, extra } = complete(model, request, { ...received, end });
      const { text, calls } = answer;
      const last = request.kind === "answer" && calls.length === 0 && end.finish !== "length";
      yield {
        type: "answer",
        text,
        calls: calls.map(withoutProblem),
        extra,
        last,
        ...unpaid.take(),
      };
      return answer;
    } catch (error) {
      if (request.signal.aborted) {
        // Drop a partial summary: it would replace the whole conversation, but covers only a part of it.
        const partial = request.kind === "answer" ? received.text : "";
        if (partial !== "")
          yield { type: "answer", text: partial, interrupted: true, ...unpaid.take() };
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

/**
 * Charges a step that fails for good for the answers that could not be used (P6). The step must still be open when it
 * fails.
 */
export async function* chargeFailed<T>(
  unpaid: UnpaidUsage,
  step: AsyncGenerator<Fact, T>,
): AsyncGenerator<Fact, T> {
  try {
    return yield* step;
  } catch (error) {
    const { usage } = unpaid.take();
    if (usage !== undefined) yield { type: "answer", text: "", usage, extra: remark };
    throw error;
  }
}

/** Converts a model error to a failure of the run. Returns other errors unchanged. */
export function asFailure(error: unknown): unknown {
  return error instanceof ModelError ? failureOf(error) : error;
}

type ReceivedCall = Extract<ModelPart, { type: "call" }>;
type End = Extract<ModelPart, { type: "end" }>;

interface Received {
  text: string;
  reasoning: string;
  readonly calls: ReceivedCall[];
}

/** Collects the answer while it is streamed. Summaries are not shown as deltas. */
async function* receive(
  model: Model,
  request: StepRequest,
  received: Received,
): AsyncGenerator<Fact, End> {
  for await (const part of model.stream(request)) {
    switch (part.type) {
      case "end":
        return part;
      case "call":
        // A summary has no tools. A model that calls one anyway must not leave an open call behind (T1).
        if (request.kind === "answer") received.calls.push(part);
        break;
      case "text":
      case "reasoning":
        received[part.type] += part.text;
        if (request.kind === "answer") yield { type: "delta", kind: part.type, text: part.text };
    }
  }
  throw new ModelError("transient", `${model.id}: the stream ended before the answer was complete`);
}

/** Maximum number of calls in one answer. The log accepts no more. */
const maxCalls = 1_000;

function checkAnswer(model: Model, received: Received & { end: End }): void {
  const { text, calls, end } = received;
  const { id: provider } = model;
  if (end.finish === "filter" && calls.length === 0) {
    throw failure("contentFilter", {
      provider,
      detail: "the provider's content filter blocked the answer",
    });
  }
  if (calls.length > maxCalls) {
    const detail = `the answer has ${calls.length} calls; the limit is ${maxCalls}`;
    throw failure("endless", { provider, detail });
  }
  if (text.trim() !== "" || calls.length > 0) return;
  const cut = end.finish === "length";
  const detail = cut
    ? "the answer reached the length limit before any text"
    : "the answer is empty";
  throw failure("empty", { provider, detail });
}

function complete(
  model: Model,
  request: StepRequest,
  received: Received & { end: End },
): { answer: StepAnswer; extra: AnswerExtra } {
  const { kind } = request;
  const { reasoning, text, end } = received;
  const { original, usage, finish, effort } = end;
  const providerCalls: Record<string, string> = {};
  const calls = received.calls.map(({ callId: theirs, name, input, problem }, index) => {
    const callId = callIdOf(request, index);
    providerCalls[callId] = theirs;
    const why = problem !== null && finish === "length" ? cutArguments : problem;
    return { callId, name, input, problem: why, repeatable: request.repeatable(name) };
  });
  const tokens = usage.inputTokens + usage.outputTokens;
  const asked = { model: model.id, ...(effort === undefined ? {} : { effort }) };
  const extra = { kind, ...asked, finish, original, providerCalls, reasoning, tokens };
  return { answer: { text, calls, finish }, extra };
}

/** Text for the model after an answer was cut off. Without it, the model would write the same oversized call again. */
const cutArguments =
  "the answer reached the model's length limit before they were complete. Split the work into several smaller calls.";

function withoutProblem({ callId, name, input, repeatable }: StepCall): CallRequest {
  return { callId, name, input, repeatable };
}

/** Creates a unique call id. Ids of providers can repeat and have different formats. */
function callIdOf(request: StepRequest, index: number): string {
  const { runId, step } = request;
  const digest = createHash("sha256").update(`${runId}/${step}/${index}`).digest("hex");
  return `call_${digest.slice(0, 16)}`;
}
