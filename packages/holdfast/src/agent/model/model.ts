import type { Usage } from "../../kernel/state.ts";

/** A language model, ready to be called. It must not retry by itself: the loop decides that. */
export interface Model {
  /** `provider/name`, as people write it. */
  readonly id: string;
  readonly provider: string;
  readonly limits: ModelLimits;
  readonly accepts: ModelInputs;
  /** False: nobody knows what a call costs, so no cost can be limited. Left out: it is known. */
  readonly isPriced?: boolean;
  /** One call. Ends with an `end` part, or throws a ModelError; an abort throws the signal's reason. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

export interface ModelLimits {
  /** Tokens of input and output together. */
  readonly context: number;
  readonly output: number;
}

/** What a model can be shown besides text. */
export interface ModelInputs {
  readonly images: boolean;
  readonly documents: boolean;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** The content of a file that a message refers to; null when it is gone. */
  readonly file: (hash: string) => Promise<Uint8Array | null>;
  /** Fewer tokens of output than the model could give. */
  readonly maxOutput?: number;
  readonly signal: AbortSignal;
  /** Milliseconds without a piece of the answer after which the call counts as stalled. */
  readonly stallAfter: number;
  /** Milliseconds that a whole answer may take, however steadily it comes. */
  readonly endAfter: number;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string; readonly files: readonly ModelFile[] }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly { callId: string; name: string; input: unknown }[];
      /** What this provider said, in its own form; null or another provider's is not sent. */
      readonly original: OriginalAnswer | null;
    }
  | { readonly role: "tool"; readonly results: readonly ModelToolResult[] };

/** An image or a document that the model is shown; its content is looked up for each request. */
export interface ModelFile {
  readonly hash: string;
  readonly name: string | null;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface ModelToolResult {
  readonly callId: string;
  readonly name: string;
  readonly output: string;
  readonly failed: boolean;
  /** Images that it shows. */
  readonly files: readonly ModelFile[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. */
  readonly schema: object;
}

/** Kept with an answer so that a provider gets its own reasoning and marks back; plain JSON. */
export interface OriginalAnswer {
  readonly provider: string;
  readonly content: unknown;
}

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** `problem` is set when the arguments are not JSON. */
  | {
      readonly type: "call";
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      readonly problem: string | null;
    }
  | {
      readonly type: "end";
      readonly usage: Usage;
      readonly finish: Finish;
      readonly original: OriginalAnswer;
    };

/** Why an answer ended: it was done, wants calls, was cut off at its length, or was held back. */
export type Finish = "stop" | "calls" | "length" | "filter" | "other";

export type ModelErrorKind =
  /** May work when tried again. */
  | "transient"
  | "stalled"
  /** An answer without words and calls; the next may have some. */
  | "empty"
  /** An answer that would not end. */
  | "endless"
  | "badKey"
  | "noQuota"
  | "modelGone"
  | "contextTooLong"
  | "contentFilter"
  /** An image or a document that the provider does not take. */
  | "badFile"
  | "invalid";

/** A call that failed, by what to do about it. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Milliseconds that the provider asks to wait. */
  readonly retryIn: number | null;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: { retryIn?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ModelError";
    this.kind = kind;
    this.retryIn = options.retryIn ?? null;
  }
}
