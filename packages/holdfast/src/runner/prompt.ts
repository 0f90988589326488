import { createHash } from "node:crypto";
import type { PromptBody } from "../agent/message.ts";
import type { AcceptLimits } from "../kernel/command.ts";
import type { Actor, Delivery } from "../kernel/event.ts";
import type { Budget, ParentLink } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import type { StoreRequest } from "../store/store.ts";

/** A prompt as its sender gives it; what is left out has the usual meaning. */
export interface PromptInput {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  readonly actor: Actor;
  readonly delivery?: Delivery;
  /** False: it only enters the conversation (P7). */
  readonly reply?: boolean;
  readonly expectedRunId?: string | null;
  readonly expiresAt?: number | null;
  readonly maxRunTime?: number | null;
  readonly budget?: Budget | null;
}

/** The request that accepts a prompt: its body, its content hash (P3) and the limits (P5). */
export function acceptRequest(
  input: PromptInput,
  options: { limits: AcceptLimits; parent?: ParentLink },
): StoreRequest {
  const { sessionId, promptId, text, actor } = input;
  const choices = {
    delivery: input.delivery ?? "queue",
    reply: input.reply ?? true,
    expectedRunId: input.expectedRunId ?? null,
    expiresAt: input.expiresAt ?? null,
    maxRunTime: input.maxRunTime ?? null,
    budget: input.budget ?? null,
  };
  const content: PromptBody = { text };
  const body = makeBody(JSON.stringify(content));
  return {
    command: {
      type: "prompt.accept",
      sessionId,
      promptId,
      actor,
      contentHash: contentHash({ text, ...choices }),
      body: body.hash,
      // An empty text is refused as empty, whatever its body's wrapping weighs.
      bytes: text === "" ? 0 : body.content.byteLength,
      ...choices,
      parent: options.parent ?? null,
      resultOf: null,
      limits: options.limits,
    },
    bodies: [body],
  };
}

/** A hash over everything that makes a request this request and not another. */
export function contentHash(content: object): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
