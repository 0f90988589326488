import type { Usage } from "../../kernel/state.ts";
import type { ReasoningLevel, ReasoningWish } from "./reasoning.ts";

/** A language model. It must not retry by itself, because the agent loop retries. */
export interface Model {
  /** Name of the model with its provider, in the form `provider/name`. */
  readonly id: string;
  readonly provider: string;
  readonly limits: ModelLimits;
  readonly accepts: ModelInputs;
  /** False: the price is unknown, so the cost cannot be limited. Default: true. */
  readonly isPriced?: boolean;
  /** False: the model cannot call tools. Default: true. */
  readonly callsTools?: boolean;
  /** Advice on how to enlarge the context window, shown in error messages. */
  readonly windowSetting?: string | null;
  /** Reasoning settings for this model from the config. */
  readonly wish?: ReasoningWish;
  /**
   * Makes one model call. The last part is `end`, unless the call throws a ModelError. An abort throws the signal's
   * reason.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

export interface ModelLimits {
  /** Maximum number of input and output tokens together. */
  readonly context: number;
  readonly output: number;
}

/** Kinds of content besides text that a model accepts. */
export interface ModelInputs {
  readonly images: boolean;
  readonly documents: boolean;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Returns the content of a file in a message; null if the file was deleted. */
  readonly file: (hash: string) => Promise<Uint8Array | null>;
  /** Token limit of the answer, if lower than the model's own limit. */
  readonly maxOutput?: number;
  readonly wish?: ReasoningWish;
  /** Identifies the session for the provider's cache. */
  readonly cacheKey?: string;
  readonly signal: AbortSignal;
  /** Milliseconds without new data after which the call counts as stalled. */
  readonly stallAfter: number;
  /** Timeout in milliseconds for the whole answer. */
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

/**
 * An answer as plain JSON in the provider's format, stored so that the provider gets its own reasoning and signatures
 * back.
 */
export interface OriginalAnswer {
  readonly provider: string;
  readonly content: unknown;
}

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** `problem` is set if the arguments are not valid JSON. */
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
      /** The requested reasoning level. Missing: none was requested. */
      readonly effort?: ReasoningLevel;
    };

/**
 * The reason why an answer ended: it is complete, requests tool calls, reached the length limit, was filtered, or
 * another reason.
 */
export type Finish = "stop" | "calls" | "length" | "filter" | "other";

export type ModelErrorKind =
  /** A temporary error: a retry may succeed. */
  | "transient"
  | "stalled"
  /** The answer contains neither text nor calls. */
  | "empty"
  /** The answer exceeded its length or time limit. */
  | "endless"
  | "badKey"
  | "noQuota"
  | "modelGone"
  | "contextTooLong"
  | "contentFilter"
  /** The provider rejects an image or document. */
  | "badFile"
  | "invalid";

/** A failed model call. `kind` determines how the agent reacts. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Milliseconds after which the provider permits a retry; null if unknown. */
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
