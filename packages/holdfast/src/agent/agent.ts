import type { ToolStatus } from "../kernel/event.ts";
import type { FailureReason, Outcome, Usage } from "../kernel/state.ts";
import type { CallRequest, Message, UserMessage } from "./message.ts";
import type { AgentSetup } from "./setup.ts";

/** Something that works on prompts. It keeps nothing between runs: all it knows is in the context. */
export interface Agent {
  readonly name: string;
  /** It passes a step's boundary before anything else, so that a run's start can open its first step. */
  readonly opensWithStep?: boolean;
  /**
   * Works until the prompts are answered. Each fact is committed before the iteration goes on, so
   * what comes after a `yield` may rely on it. Called again for the same run after a crash, or when
   * prompts were steered in as it ended. An exception fails the run; AgentFailure says how.
   */
  run(context: AgentContext): AsyncIterable<Fact>;
  /**
   * A few words for a session that begins with this prompt; null for the prompt's own first line.
   * Asked for while the first run goes on, which never waits for it; what it throws is ignored.
   */
  title?(prompt: UserMessage, context: TitleContext): Promise<string | null>;
}

export interface TitleContext {
  readonly sessionId: string;
  readonly directory: string;
  /** That of the session's first run. */
  readonly workspace: Workspace;
  /** Nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** What a run has at hand. Nothing here may be used after `run` has ended. */
export interface AgentContext {
  readonly sessionId: string;
  readonly runId: string;
  readonly attempt: number;
  readonly directory: string;
  /** The only directories that the run may reach, by their real paths; null or left out for no limit. */
  readonly directories?: readonly string[] | null;
  /** How many sessions are above this one, each of which has made the next; none if left out. */
  readonly depth?: number;
  /** Frozen for this run, whatever is changed meanwhile. */
  readonly workspace: Workspace;
  /** The prompts that this run has to answer so far, in order. */
  readonly prompts: readonly UserMessage[];
  /** All that the model may know, up to what is committed: no words of prompts that never ran. */
  readonly conversation: () => Promise<readonly Message[]>;
  /** The content of a file of the conversation; null when there is none under this hash. */
  readonly attachment: (hash: string) => Promise<Uint8Array | null>;
  /** Calls of the last answer that have no result yet: after a crash these come first. */
  readonly openCalls: readonly OpenCall[];
  /** The run is to stop: end soon. Past the grace time nothing of it is written any more. */
  readonly signal: AbortSignal;
  /**
   * To be asked right before something outside of the store is changed: false when the run stops, or
   * may be another process's by now, as the clock has it at this very moment (L5).
   */
  readonly mayAct: () => boolean;
  /** Whether a budget or cap above the run limits its cost; none if left out (P6). */
  readonly hasCostLimit?: () => Promise<boolean>;
  /** Before every model call: opens the step, and hands over what has entered meanwhile. */
  readonly boundary: () => Promise<readonly UserMessage[]>;
  /** Asks people. Resolves with their answer, also when it came after a crash. */
  readonly ask: (ask: AskRequest) => Promise<AskAnswer>;
  /** Sends a prompt to a child session and waits for its outcome (foreground). */
  readonly child: (child: ChildRequest) => Promise<ChildOutcome>;
  /** The same without waiting: the result comes back as a prompt of its own. */
  readonly background: (child: ChildRequest) => Promise<void>;
}

/** One loaded state of a directory; the model loop reads config, providers and tools from it. */
export interface Workspace {
  readonly generation: string;
  readonly directory: string;
  /** Null for agents that bring their own. */
  readonly setup: AgentSetup | null;
  /** What should be there and was not when it was made, such as a late MCP server; left out if nothing. */
  readonly without?: readonly string[];
}

export type Fact =
  /** The model's answer: committed before any of its calls may start. */
  | {
      readonly type: "answer";
      readonly text: string;
      readonly calls?: readonly CallRequest[];
      readonly usage?: Usage;
      readonly interrupted?: boolean;
      /** Whatever the agent needs to build the next request; opaque to everybody else. */
      readonly extra?: unknown;
      /** Nothing comes after it: the run completes with this text, in the same commit. */
      readonly last?: boolean;
    }
  /** A call is about to act. Needed for calls that may not be repeated. */
  | { readonly type: "toolStart"; readonly callId: string; readonly intent?: ToolIntent }
  | {
      readonly type: "toolEnd";
      readonly callId: string;
      readonly status: Exclude<ToolStatus, "inDoubt">;
      readonly output: string;
      readonly extra?: unknown;
      /** What it shows besides, such as an image. */
      readonly files?: readonly ShownFile[];
    }
  /** A piece of a stream for people who watch; may be dropped, never stored (T3). */
  | {
      readonly type: "delta";
      readonly kind: DeltaKind;
      readonly text: string;
      readonly callId?: string;
    }
  /** The last words, kept as the run's result; without it the last answer's text is. */
  | { readonly type: "result"; readonly text: string };

/** A file that a call has found, for the model to see. */
export interface ShownFile {
  readonly name: string | null;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** What a call is about to do, in the log before it does it. */
export interface ToolIntent {
  /** For people, when a crash leaves it in doubt. */
  readonly summary: string;
  /** Files that it is about to change, as they are, so that the change can be undone. */
  readonly files: readonly { readonly path: string; readonly before: Uint8Array | null }[];
}

/** `restart`: the step begins anew, and the pieces of it that came before are taken back. */
export type DeltaKind = "text" | "reasoning" | "tool" | "restart";

export interface OpenCall extends CallRequest {
  readonly gate: "open" | "asking" | "denied";
}

export interface AskRequest {
  /** Unique in the session, and the same again when a run is resumed. */
  readonly askId: string;
  /** The call that must not start before the answer. */
  readonly callId?: string;
  readonly question: string;
  /** Milliseconds after which it counts as denied. */
  readonly expiresIn?: number;
  readonly extra?: unknown;
}

export type AskAnswer =
  | {
      readonly verdict: "allow" | "deny";
      readonly text: string | null;
      /** The person wants the same answer given from now on. */
      readonly remember: "session" | "project" | null;
    }
  | { readonly verdict: "expired" };

export interface ChildRequest {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  /** The call that the child belongs to. */
  readonly callId?: string;
  /** Where a new child session works; the parent's directory if left out. */
  readonly directory?: string;
  /** Who is to work on it, and with which model; what is usual there if left out. */
  readonly agent?: string;
  readonly model?: string;
}

export interface ChildOutcome {
  readonly outcome: Outcome;
  readonly text: string | null;
}

/** Ends the run as failed with a reason that says what to do; any other exception is agentError. */
export class AgentFailure extends Error {
  readonly reason: FailureReason;
  /** The next prompt would fail alike: hold the lane, at most for this long if it is known (L4). */
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
