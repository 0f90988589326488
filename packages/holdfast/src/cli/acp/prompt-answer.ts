import type { Outcome, Reason } from "@holdfast/sdk";
import { rpcCodes, RpcError } from "./json-rpc.ts";
import type { StopReason } from "./protocol.ts";

/** How a prompt ended, as its editor is told. */
export interface PromptAnswer {
  readonly stopReason: StopReason;
  /** Why, where that is not to be seen from the reason itself. */
  readonly words: string | null;
}

/** Throws what has no word in the protocol: that it failed, and why. */
export function answerTo(
  { status, reason }: Pick<Outcome, "status" | "reason">,
  prompt: { promptId: string; text: string | null; isCancelled: boolean },
): PromptAnswer {
  if (status === "completed") return { stopReason: "end_turn", words: null };
  // Who has cancelled does not care what else went wrong meanwhile.
  if (status === "cancelled" || prompt.isCancelled) return { stopReason: "cancelled", words: null };
  const why = [reason ?? "", prompt.text ?? ""].filter((part) => part !== "").join(": ");
  const stopReason = reason === null ? undefined : stopReasons.get(reason);
  if (stopReason !== undefined) return { stopReason, words: why };
  const message = why === "" ? "the prompt failed" : `the prompt failed: ${why}`;
  const data = { reason, promptId: prompt.promptId };
  throw new RpcError({ code: rpcCodes.internal, message, data });
}

const stopReasons: ReadonlyMap<Reason, StopReason> = new Map([
  ["stepLimit", "max_turn_requests"],
  ["budget", "max_tokens"],
  ["contextTooLong", "max_tokens"],
  ["contentFilter", "refusal"],
]);
