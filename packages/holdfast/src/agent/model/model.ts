import type { Usage } from "../../kernel/state.ts";
import type { ReasoningLevel, ReasoningWish } from "./reasoning.ts";

/** A language model. It must not retry by itself, because the agent loop does. */
export interface Model {
  /** Name of the model with its provider, in the form `provider/name`. */
  readonly id: string;
  readonly provider: string;
  readonly limits: ModelLimits;
  readonly accepts: ModelInputs;
  /** False: the price is unknown, so the cost cannot be limited. Missing: true. */
  readonly isPriced?: boolean;
  /** False: the model cannot call tools. Missing: true. */
  readonly callsTools?: boolean;
  /** Advice on how to enlarge the context window, shown in error messages. */
  readonly windowSetting?: string | null;
  /** Reasoning that the config sets for this model. */
  readonly wish?: ReasoningWish;
  /** Makes one call. Ends with an `end` part or throws a ModelError. An abort throws the signal's reason. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

export interface ModelLimits {
  /** Tokens of input and output together. */
  readonly context: number;
  readonly output: number;
}

/** Content other than text that a model accepts. */
export interface ModelInputs {
  readonly images: boolean;
  readonly documents: boolean;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Returns the content of a file in a message, or null if it was deleted. */
  readonly file: (hash: string) => Promise<Uint8Array | null>;
  /** Token limit of the output, below the model's own limit. */
  readonly maxOutput?: number;
  readonly wish?: ReasoningWish;
  /** Identifies the session for the provider's cache. */
  readonly cacheKey?: string;
  readonly signal: AbortSignal;
  /** Milliseconds without new data after which the call counts as stalled. */
  readonly stallAfter: number;
  /** Maximum milliseconds for the whole answer. */
  readonly endAfter: number;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string; readonly files: readonly ModelFile[] }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly { callId: string; name: string; input: unknown }[];
      /** The answer in the provider's own format. It is sent only to the same provider. */
      readonly original: OriginalAnswer | null;
    }
  | { readonly role: "tool"; readonly results: readonly ModelToolResult[] };

/** An image or document for the model. Its content is loaded for each request. */
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
  /** Images in the result. */
  readonly files: readonly ModelFile[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. */
  readonly schema: object;
}

/** Stored with an answer so that the provider gets its own reasoning and signatures back. Plain JSON. */
export interface OriginalAnswer {
  readonly provider: string;
  readonly content: unknown;
}

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** `problem`: set if the arguments are not valid JSON. */
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
      /** The requested level of reasoning. Missing: none was requested. */
      readonly effort?: ReasoningLevel;
    };

/** Why an answer ended: complete, requests calls, length limit, content filter, or another reason. */
export type Finish = "stop" | "calls" | "length" | "filter" | "other";

export type ModelErrorKind =
  /** A temporary error: a retry may succeed. */
  | "transient"
  | "stalled"
  /** An answer without text and calls. */
  | "empty"
  /** An answer that exceeded its length or time limit. */
  | "endless"
  | "badKey"
  | "noQuota"
  | "modelGone"
  | "contextTooLong"
  | "contentFilter"
  /** An image or document that the provider rejects. */
  | "badFile"
  | "invalid";

/** A failed model call. `kind` decides the reaction. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Milliseconds after which the provider allows a retry. */
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
