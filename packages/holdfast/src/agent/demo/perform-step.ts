import { AgentFailure } from "../agent.ts";
import type { AgentContext, Fact } from "../agent.ts";
import type { CallRequest } from "../message.ts";
import { parseCall, callName } from "./call-instruction.ts";
import { derivedId } from "./identity.ts";
import type { Instruction } from "./instruction.ts";
import { parseScript } from "./instruction.ts";
import { merge } from "../merge.ts";
import { RunAbandoned } from "../run-abandoned.ts";
import { performCall, requestOf } from "./perform-call.ts";
import { demoText, helpText } from "./words.ts";
import { die } from "./faults.ts";

export interface Step {
  /** Identifies the step in its run. It is stored with the answer, so the log shows which steps are done. */
  readonly key: string;
  readonly instruction: Instruction;
}

/** Performs one step: commits a simulated model answer, then executes its calls. */
export async function* performStep(context: AgentContext, step: Step): AsyncGenerator<Fact> {
  const { instruction, key } = step;
  const { text, usage, complete } = yield* draftAnswer(context, instruction);
  const calls = complete ? callsOf(context, step) : [];
  const extra = { step: key };
  yield { type: "answer", text: demoText(text), calls, usage, interrupted: !complete, extra };
  if (!complete) return;
  if (instruction.type === "crash") await die();
  if (instruction.type === "crashRun") throw new RunAbandoned(instruction.silence);
  yield* performCalls(context, { calls, mayCrash: true });
}

/** Executes all calls in parallel and yields each result when it is ready. */
export function performCalls(
  context: AgentContext,
  options: { calls: readonly CallRequest[]; mayCrash: boolean },
): AsyncGenerator<Fact> {
  const { calls, mayCrash } = options;
  return merge(calls.map((request) => performCall(context, { request, mayCrash })));
}

function callsOf(context: AgentContext, step: Step): CallRequest[] {
  const { instruction, key } = step;
  if (instruction.type !== "calls") return [];
  return instruction.calls.map((call, index) =>
    requestOf(call, derivedId("call", context.runId, key, String(index))),
  );
}

interface Draft {
  readonly text: string;
  readonly usage: { inputTokens: number; outputTokens: number; cost: number };
  /** False if the run was stopped before the answer was complete. */
  readonly complete: boolean;
}

async function* draftAnswer(
  context: AgentContext,
  instruction: Instruction,
): AsyncGenerator<Fact, Draft> {
  const { signal } = context;
  switch (instruction.type) {
    case "say":
      return yield* stream(context, instruction);
    case "help":
      return yield* stream(context, { text: helpText, every: 0 });
    case "think":
      yield { type: "delta", kind: "reasoning", text: instruction.text };
      return whole("I have thought about it.");
    case "wait": {
      const complete = await pause(instruction.milliseconds, signal);
      const { milliseconds } = instruction;
      const text = complete ? `I waited ${milliseconds} ms.` : "I was stopped while I waited.";
      return { ...whole(text), complete };
    }
    case "use": {
      const { tokens, cost } = instruction;
      const usage = { inputTokens: 0, outputTokens: tokens, cost };
      return { ...whole(`I used ${tokens} tokens and ${cost} of cost.`), usage };
    }
    case "calls":
      return yield* stream(context, { text: announce(instruction.calls), every: 0 });
    case "fail":
      if (instruction.once && (await hasFailedBefore(context))) return whole("This time it works.");
      throw failureOf(instruction);
    case "stall":
      await pause(null, signal);
      return { ...whole("I stalled until I was stopped."), complete: false };
    case "stubborn":
      await pause(instruction.milliseconds, null);
      return whole("I did not listen to any signal.");
    case "block":
      blockEventLoop(instruction.milliseconds);
      return whole(`I blocked the event loop for ${instruction.milliseconds} ms.`);
    case "flood":
      for (let count = 1; count <= instruction.count; count += 1) {
        if (signal.aborted)
          return { ...whole(`I stopped after ${count - 1} deltas.`), complete: false };
        yield { type: "delta", kind: "reasoning", text: `${count} ` };
      }
      return whole(`I sent ${instruction.count} deltas.`);
    case "crashRun":
      return whole("The worker of this run stops now and reports nothing.");
    case "crash":
      // `crash` kills the process here, before the answer is committed, so every retry crashes here again. `crash once`
      // kills the process after the commit.
      if (!instruction.once) await die();
      return whole("I crash now.");
  }
}

/**
 * Matches a word with the spaces before it. Chinese has no spaces between words, so each character counts as a word.
 */
const words = /\s*(?:\p{Script=Han}|[^\s\p{Script=Han}]+)(?:\s*$)?/gu;

/** Streams the text word by word. If the run stops, the part that was sent so far is kept. */
async function* stream(
  context: AgentContext,
  speech: { text: string; every: number },
): AsyncGenerator<Fact, Draft> {
  const { text, every } = speech;
  const pieces = text.match(words) ?? [text];
  yield { type: "delta", kind: "text", text: demoText("") };
  let sent = "";
  for (const piece of pieces) {
    if (every > 0 && sent !== "") await pause(every, context.signal);
    if (context.signal.aborted) return { ...whole(sent), complete: false };
    yield { type: "delta", kind: "text", text: piece };
    sent += piece;
  }
  return whole(text);
}

function whole(text: string): Draft {
  return { text, usage: { inputTokens: 0, outputTokens: 0, cost: 0 }, complete: true };
}

function announce(calls: readonly string[]): string {
  const names = calls.flatMap((text) => {
    const call = parseCall(text);
    return call === null ? [] : [callName(call)];
  });
  return `I call ${names.join(", ")}.`;
}

const holding = new Set(["badKey", "noQuota", "brokenWorkspace"]);

function failureOf(instruction: Extract<Instruction, { type: "fail" }>): Error {
  const { reason, retryIn } = instruction;
  const message = demoText(`I was told to fail (${reason}).`);
  if (reason === "agentError") return new Error(message);
  return new AgentFailure(reason, message, holding.has(reason) ? { hold: { retryIn } } : {});
}

/** True if an earlier prompt of the session contained `fail once`. */
async function hasFailedBefore(context: AgentContext): Promise<boolean> {
  const own = new Set(context.prompts.map(({ promptId }) => promptId));
  const conversation = await context.conversation();
  return conversation.some(
    (message) =>
      message.role === "user" &&
      !own.has(message.promptId) &&
      message.resultOf === null &&
      parseScript(message.text).some((step) => step.type === "fail" && step.once),
  );
}

function blockEventLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** Waits, without limit if `milliseconds` is null. Returns false if the signal aborted. */
async function pause(milliseconds: number | null, signal: AbortSignal | null): Promise<boolean> {
  if (signal?.aborted === true) return false;
  return new Promise((resolve) => {
    const timer =
      milliseconds === null
        ? undefined
        : setTimeout(() => {
            signal?.removeEventListener("abort", stop);
            resolve(true);
          }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
