import type { OriginalAnswer } from "../model/model.ts";

/** What the coding agent keeps with each of its answers, to build the next request from. */
export interface AnswerExtra {
  readonly kind: "answer" | "compaction";
  readonly model: string;
  /** The provider's own form of it, with the provider's own call ids. */
  readonly original: OriginalAnswer | null;
  /** The provider's id of each call, by ours. */
  readonly providerCalls: Readonly<Record<string, string>>;
  readonly reasoning: string;
  /** How much of the context the request and this answer took, by the provider's count. */
  readonly tokens: number;
}

/** Kept with words of the program's own among the answers: for people, and not for the model. */
export const remark = { kind: "remark" } as const;

export function isRemark(extra: unknown): boolean {
  return typeof extra === "object" && extra !== null && "kind" in extra && extra.kind === "remark";
}

export function isCompaction(extra: unknown): boolean {
  return answerExtraOf(extra)?.kind === "compaction";
}

/** Null for an answer that another agent wrote into this session. */
export function answerExtraOf(extra: unknown): AnswerExtra | null {
  return isAnswerExtra(extra) ? extra : null;
}

function isAnswerExtra(extra: unknown): extra is AnswerExtra {
  return typeof extra === "object" && extra !== null && "providerCalls" in extra && "kind" in extra;
}
