import type { ToolStatus } from "../kernel/event.ts";
import type { FailureReason, Outcome, SessionMode, Usage } from "../kernel/state.ts";
import type { CallRequest, Message, UserMessage } from "./message.ts";
import type { ReasoningWish } from "./model/reasoning.ts";
import type { AgentSetup } from "./setup.ts";

/** Answers prompts. An agent keeps no state between runs: the context contains everything it needs. */
export interface Agent {
  readonly name: string;
  /**
   * True if `run` begins with a call of `boundary`. The runtime then commits the start of the run and of its first step
   * together.
   */
  readonly opensWithStep?: boolean;
  /**
   * Works until the prompts are answered. Each yielded fact is committed before the generator continues. Called again
   * for the same run after a crash, or if new prompts joined at its end. An exception fails the run.
   */
  run(context: AgentContext): AsyncIterable<Fact>;
  /**
   * Returns a title for a session that starts with this prompt; null: use the first line of the prompt. The first run
   * does not wait for the title, and errors are ignored.
   */
  title?(prompt: UserMessage, context: TitleContext): Promise<string | null>;
}

/** Input of `Agent.title`. */
export interface TitleContext {
  readonly sessionId: string;
  readonly directory: string;
  /** The workspace of the session's first run. */
  readonly workspace: Workspace;
  /** The agent of the session when the run started, for prompts that name none. Null: the default agent. */
  readonly agent: string | null;
  /** Aborts when the title is no longer needed. */
  readonly signal: AbortSignal;
}

/** Input and services of a run. Do not use it after `run` has ended. */
export interface AgentContext {
  readonly sessionId: string;
  readonly runId: string;
  readonly attempt: number;
  readonly directory: string;
  /** Real paths of the only directories that the run may access. Null or missing: no limit. */
  readonly directories?: readonly string[] | null;
  /** Number of parent sessions above this one. Default: 0. */
  readonly depth?: number;
  /** The workspace of this run. It never changes during the run. */
  readonly workspace: Workspace;
  /** The agent of the session when the run started, for prompts that name none. Null or missing: the default agent. */
  readonly agent?: string | null;
  /** The prompts of this run until now, in order. */
  readonly prompts: readonly UserMessage[];
  /** Returns the committed conversation, without prompts that never ran. */
  readonly conversation: () => Promise<readonly Message[]>;
  /** Returns the content of an attachment by its hash; null if it does not exist. */
  readonly attachment: (hash: string) => Promise<Uint8Array | null>;
  /**
   * Tool calls that the last answer requested and that have no result yet. After a crash, continue with these calls.
   */
  readonly openCalls: readonly OpenCall[];
  /** Aborts when the run must stop. After a grace period, the store accepts no more results of the run. */
  readonly signal: AbortSignal;
  /**
   * Returns false if the run must stop or its lease has expired (L5). Check this right before each change outside of
   * the store.
   */
  readonly mayAct: () => boolean;
  /** Returns the session's current permission mode, which a person may change during the run. */
  readonly mode: () => Promise<SessionMode>;
  /** Returns true if a budget limits the cost of this run (P6). Missing: no limit. */
  readonly hasCostLimit?: () => Promise<boolean>;
  /**
   * Opens a step. An agent calls this before each model call. Returns the prompts that have joined the run since the
   * last step. With `within`, the step belongs to an active tool call of this run, and only the prompts in `takes`
   * join.
   */
  readonly boundary: (step?: StepWithin) => Promise<readonly UserMessage[]>;
  /** Resolves with the first prompt that was sent to join the active run (a steered prompt) and is not in `known`. */
  readonly nextSteer: (known: ReadonlySet<string>) => Promise<UserMessage>;
  /** Asks a person and waits for the answer, even if the process restarts before the answer. */
  readonly ask: (ask: AskRequest) => Promise<AskAnswer>;
  /** Sends a prompt to a child session and waits for its outcome (foreground). */
  readonly child: (child: ChildRequest) => Promise<ChildOutcome>;
  /** Sends a prompt to a child session without waiting. The result arrives as a new prompt of this session. */
  readonly background: (child: ChildRequest) => Promise<void>;
  /**
   * Resolves when the run has no open foreground child session. For agents that do not wait for each child themselves.
   */
  readonly childrenEnded: () => Promise<void>;
}

/** A step that a hosted agent, which is a separate program, reports during one tool call of this run (H1). */
export interface StepWithin {
  /** Id of the tool call during which the hosted agent works. */
  readonly within: string;
  /** Steered prompts that the hosted agent has received (H6). */
  readonly takes?: readonly string[];
}

/** The loaded config of a directory, with providers and tools for runs. */
export interface Workspace {
  readonly generation: string;
  readonly directory: string;
  /** Settings of the coding agent. Null if the runtime uses another agent. */
  readonly setup: AgentSetup | null;
  /** Resources that were missing when the config was loaded, such as a slow MCP server. */
  readonly without?: readonly string[];
}

/** A result that an agent yields. The runtime commits it before the agent continues. */
export type Fact =
  /** The model's answer. It is committed before its calls start. */
  | {
      readonly type: "answer";
      readonly text: string;
      readonly calls?: readonly CallRequest[];
      readonly usage?: Usage;
      readonly interrupted?: boolean;
      /** Private data that the agent needs to build its next request. */
      readonly extra?: unknown;
      /**
       * Only for hosted agents, which are separate programs. A whole turn of such an agent is recorded as one tool
       * call: this is the id of the tool call to which the answer belongs. If the call has no open step, saving the
       * answer also starts a step.
       */
      readonly within?: string;
      /** A tool call of this answer. The commit that records the answer also records the start of the call. */
      readonly starts?: { readonly callId: string; readonly intent: ToolIntent };
      /**
       * A tool call that has ended. The commit that records this answer also records the end of the call, after the
       * answer.
       */
      readonly ends?: {
        readonly callId: string;
        readonly status: ToolStatus;
        readonly output: string;
      };
      /** True: the answer is the last one, so the same commit completes the run with this text. */
      readonly last?: boolean;
    }
  /** Records the start of a tool call. Required for calls that must not be repeated. */
  | { readonly type: "toolStart"; readonly callId: string; readonly intent?: ToolIntent }
  | {
      readonly type: "toolEnd";
      readonly callId: string;
      /**
       * `inDoubt`: it is unknown whether the call took effect. Only for a call that has started, or that a hosted agent
       * executes.
       */
      readonly status: ToolStatus;
      readonly output: string;
      readonly extra?: unknown;
      /** Files for the model, such as an image. */
      readonly files?: readonly ShownFile[];
    }
  /** A piece of the answer for live display. It may be dropped and is never stored (T3). */
  | {
      readonly type: "delta";
      readonly kind: DeltaKind;
      readonly text: string;
      readonly callId?: string;
    }
  /** The result of the run. Default: the text of the last answer. */
  | { readonly type: "result"; readonly text: string };

/** A file that a tool call shows to the model. */
export interface ShownFile {
  readonly name: string | null;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The planned action of a tool call, logged before the call takes effect. */
export interface ToolIntent {
  /** Description of the planned action, shown to people if a crash makes it unclear whether the call took effect. */
  readonly summary: string;
  /** Contents of the files before the call changes them, so that the change can be undone. */
  readonly files: readonly { readonly path: string; readonly before: Uint8Array | null }[];
}

/** Kind of a piece. `restart` discards the earlier pieces, because the step starts again. */
export type DeltaKind = "text" | "reasoning" | "tool" | "restart";

/**
 * A tool call without a result. `gate` is the state of its permission: it may start, waits for an answer, or was
 * denied.
 */
export interface OpenCall extends CallRequest {
  readonly gate: "open" | "asking" | "denied";
}

/** A permission request or a question for a person. */
export interface AskRequest {
  /** Must be unique in the session and the same after a crash. */
  readonly askId: string;
  /** The tool call that may start only after the answer. */
  readonly callId?: string;
  /** The tool call that has already started and waits for the answer. The request is withdrawn when the call ends. */
  readonly within?: string;
  readonly question: string;
  /** Milliseconds after which a request without an answer expires. */
  readonly expiresIn?: number;
  readonly extra?: unknown;
  /**
   * The complete preview of the requested action, such as a diff, if `extra` contains only the beginning. Clients get it
   * with a separate request.
   */
  readonly preview?: string;
}

/** A person's answer, or `expired`. */
export type AskAnswer =
  | {
      readonly verdict: "allow" | "deny";
      readonly text: string | null;
      /** Applies the same answer to later requests in this session or project. Null: only to this request. */
      readonly remember: "session" | "project" | null;
    }
  | { readonly verdict: "expired" };

/** A prompt for a child session. */
export interface ChildRequest extends ReasoningWish {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  /** The tool call that sends the prompt. */
  readonly callId?: string;
  /** Directory of a new child session. Default: the parent's directory. */
  readonly directory?: string;
  /** Agent, model and reasoning of the child. Default: the settings of its directory. */
  readonly agent?: string;
  readonly model?: string;
}

/** The outcome of a prompt that was sent to a child session. */
export interface ChildOutcome {
  readonly outcome: Outcome;
  readonly text: string | null;
}

/**
 * Thrown by an agent to fail its run with a reason. Any other exception fails the run with the reason agentError.
 *
 * @example
 * throw new AgentFailure("noQuota", "The account has no credit left. Add some, then send the prompt again.", {
 *   hold: { retryIn: 60_000 },
 * });
 */
export class AgentFailure extends Error {
  readonly reason: FailureReason;
  /** If set, pauses the session, because the next prompt would fail too. `retryIn` limits the pause (L4). */
  readonly hold: { readonly retryIn: number | null } | null;

  constructor(
    reason: FailureReason,
    message: string,
    options: { hold?: { retryIn: number | null }; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AgentFailure";
    this.reason = reason;
    this.hold = options.hold ?? null;
  }
}
