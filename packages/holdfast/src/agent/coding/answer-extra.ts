import type { Finish, OriginalAnswer } from "../model/model.ts";
import type { ReasoningLevel } from "../model/reasoning.ts";

/** Data that the coding agent stores with each answer and uses to build the next request. */
export interface AnswerExtra {
  readonly kind: "answer" | "compaction";
  readonly model: string;
  /** The reason why the answer ended; missing in logs of version 0.1.0. */
  readonly finish?: Finish;
  /** The answer in the provider's own format, with the provider's call ids. */
  readonly original: OriginalAnswer | null;
  /** The provider's id of each call, by Holdfast's call id. */
  readonly providerCalls: Readonly<Record<string, string>>;
  readonly reasoning: string;
  /** The requested reasoning effort. Missing: none was requested. */
  readonly effort?: ReasoningLevel;
  /** Number of tokens of the request and this answer together, as counted by the provider. */
  readonly tokens: number;
}

/** Marks text that this program, not the model, wrote into an answer. People see such text; the model does not. */
export const remark = { kind: "remark" } as const;

export function isRemark(extra: unknown): boolean {
  return typeof extra === "object" && extra !== null && "kind" in extra && extra.kind === "remark";
}

export function isCompaction(extra: unknown): boolean {
  return answerExtraOf(extra)?.kind === "compaction";
}

/** Reads the data that this agent stores with each answer. Returns null if another agent wrote the answer. */
export function answerExtraOf(extra: unknown): AnswerExtra | null {
  return isAnswerExtra(extra) ? extra : null;
}

function isAnswerExtra(extra: unknown): extra is AnswerExtra {
  return typeof extra === "object" && extra !== null && "providerCalls" in extra && "kind" in extra;
}
