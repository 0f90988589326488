import { AgentFailure } from "../agent.ts";
import { ModelError } from "../model/model.ts";
import type { Model, ModelLimits, ToolDefinition } from "../model/model.ts";
import { charactersPerToken } from "./compaction.ts";

/**
 * Remembers the context window of servers that accept fewer tokens than Holdfast assumed. Sizes are stored per model
 * object. A changed config creates new model objects, so their sizes are learned again.
 */
export interface Windows {
  limits(model: Model): ModelLimits;
  /** Learns the context window from a request that the server rejected as too long. Returns the error with advice. */
  learn(model: Model, refused: { error: ModelError; tokens: number }): ModelError;
}

export function createWindows(): Windows {
  const learned = new WeakMap<Model, ModelLimits>();
  const limits = (model: Model): ModelLimits => learned.get(model) ?? model.limits;
  return {
    limits,
    learn: (model, { error, tokens }) => {
      const { context, output } = limits(model);
      const stated = windowIn(error.message);
      const smaller = stated ?? Math.floor(tokens * certainlyLess);
      if (smaller >= context || smaller < leastWindow) return error;
      learned.set(model, { context: smaller, output: Math.min(output, Math.floor(smaller / 2)) });
      const size = stated === null ? `less than ${inWords(tokens)}` : inWords(stated);
      const news = `The server's context window is ${size} tokens, but Holdfast expected ${inWords(context)}. `;
      return new ModelError(error.kind, `${error.message}. ${news}${contextSetting(model)}`, {
        retryIn: error.retryIn,
        cause: error,
      });
    },
  };
}

/**
 * Used if the server rejects a request as too long and does not state its context window: the window is assumed to be
 * the size of the rejected request, in tokens, times this factor.
 */
const certainlyLess = 0.75;
/** Smallest plausible context window in tokens. A smaller number in a server's message has another meaning. */
const leastWindow = 1_000;

/** Reads the context window from a server's error message, such as "maximum context length is 16384 tokens". */
function windowIn(message: string): number | null {
  const found = windowPatterns.map((pattern) => pattern.exec(message)?.[1]).find(Boolean);
  if (found === undefined) return null;
  const tokens = Number(found.replaceAll(/[,_.]/g, ""));
  return Number.isSafeInteger(tokens) && tokens >= leastWindow ? tokens : null;
}

const windowPatterns = [
  /(?:maximum )?context (?:length|window|size)[^\d]{0,40}(\d[\d,_.]*\d)/i,
  /> (\d[\d,_.]*\d) (?:tokens )?maximum/i,
  /\bn_ctx\W{1,5}(\d+)/i,
  /maximum (?:number of )?(?:input |prompt )?tokens[^\d]{0,40}(\d[\d,_.]*\d)/i,
];

/** Fails the run if the instructions and tools alone fill the context window. The error names the setting to change. */
export function expectWindow(
  model: Model,
  fixed: { readonly system: string; readonly tools: readonly ToolDefinition[] },
): void {
  const { context } = model.limits;
  const needed = Math.ceil((fixed.system.length + toolsLength(fixed.tools)) / charactersPerToken);
  if (needed <= context * mostFixed) return;
  const { windowSetting = null } = model;
  const advice = windowSetting === null ? "" : ` ${windowSetting}.`;
  const detail =
    `The context window of ${model.id} has ${inWords(context)} tokens. The instructions and tools alone need ` +
    `about ${inWords(needed)}.${advice} ${contextSetting(model)}`;
  // Pause the session, because the next prompt would fail in the same way (L4).
  throw new AgentFailure("contextTooLong", detail, { hold: { retryIn: null } });
}

/**
 * Share of the context window that instructions and tools may fill. With more, every step would need a summary first.
 */
const mostFixed = 0.6;

function contextSetting({ provider, id }: Model): string {
  const name = id.slice(provider.length + 1);
  return `If the context window has another size, set providers.${provider}.models["${name}"].context in your config.`;
}

/**
 * Limits the length of the answer to the space that is left, because servers refuse requests that could exceed their
 * context window.
 */
export function outputRoom({ context, output }: ModelLimits, inputTokens: number): number {
  const left = Math.floor(context * 0.98) - inputTokens;
  return Math.min(output, Math.max(left, leastOutput));
}

const leastOutput = 256;

export function toolsLength(tools: readonly ToolDefinition[]): number {
  const known = lengths.get(tools);
  if (known !== undefined) return known;
  const length = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  lengths.set(tools, length);
  return length;
}

/** Length of the tool definitions, cached by list. The list is the same object in each step of a run. */
const lengths = new WeakMap<readonly ToolDefinition[], number>();

function inWords(count: number): string {
  return count.toLocaleString("en-US");
}
