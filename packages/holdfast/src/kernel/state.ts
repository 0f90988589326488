import type { Directories } from "./directories.ts";

// State of a lane. It contains only unsettled items, so its size does not grow with the session's history. Contents
// such as the text of a prompt are stored separately; the state refers to them by their hash.

export interface LaneState {
  readonly sessionId: string;
  readonly status: "open" | "deleted";
  /** Hash of the creation request, to tell a repeated creation from a different one. */
  readonly contentHash: string;
  readonly directory: string;
  readonly parent: SessionParent | null;
  readonly title: string | null;
  /** True if a person archived the session. The next accepted prompt resets this. No rule depends on it. */
  readonly archived: boolean;
  /** The permission mode that a person chose; null: none was chosen. Only the agent reads it (decision 50). */
  readonly mode: SessionMode | null;
  /** The agent of runs whose prompt names none; null: the default agent of the directory. No rule depends on it. */
  readonly agent: string | null;
  /** `seq` of the last event. Optimistic writers use it as the version of the state. */
  readonly seq: number;
  /** Incremented by every start and takeover. Each write of an owner carries the value that the owner received (L5). */
  readonly fence: number;
  /** Waiting prompts and exclusive operations, in the order in which they start (L2). */
  readonly queue: readonly QueueItem[];
  /** The active run or exclusive operation. There is at most one (L1). */
  readonly active: Run | Work | null;
  readonly holds: readonly Hold[];
  /** Children whose result will arrive as a new prompt (C7). */
  readonly background: readonly BackgroundChild[];
  /** Settled children that still have live descendants: a cancel with `tree` passes through them. */
  readonly branches: readonly Branch[];
  /** Settled prompts of this session that still have live descendants (C7, P6). */
  readonly ancestors: readonly Ancestor[];
  readonly usage: Usage;
  readonly budget: Budget | null;
  readonly onBudget: OnBudget;
}

/**
 * The permission mode of a session. `ask`: the permission rules decide. `acceptEdits`: file changes in the directory
 * need no permission. `plan`: calls that change something are refused.
 */
export type SessionMode = (typeof sessionModes)[number];

export const sessionModes = ["ask", "acceptEdits", "plan"] as const;

export interface SessionParent {
  readonly sessionId: string;
  readonly runId: string;
}

export type QueueItem = UnsettledPrompt | WaitingWork;

/** The data of an unfinished prompt that the kernel needs to decide; the rest is in the table of prompts. */
export interface UnsettledPrompt {
  readonly kind: "prompt";
  readonly promptId: string;
  readonly acceptSeq: number;
  readonly parent: ParentLink | null;
  readonly revision: number;
  /** The run that a steered prompt waits to join; null for an ordinary queued prompt (L6). */
  readonly binding: SteerBinding | null;
  /** False for a message that needs no reply: it becomes part of the transcript and starts no run (P7). */
  readonly reply: boolean;
  readonly expiresAt: number | null;
  readonly maxRunTime: number | null;
  readonly budget: Budget | null;
  /**
   * Set if this prompt delivers the result of a background child: the prompt of this session that caused the child. Null:
   * the prompt is its own origin.
   */
  readonly origin: string | null;
  /** True if a cancel with `tree` covers the prompt: its outcome is recorded at its parent but starts no run there. */
  readonly unwanted: boolean;
  readonly onBudget: OnBudget;
  /** Accounts inherited from the prompts that caused this prompt. Its run is charged to them as well (P6). */
  readonly accounts: readonly string[];
  /** Directories that the sender and all people who edited the prompt may use. */
  readonly directories: Directories;
}

export interface SteerBinding {
  readonly runId: string;
  /** True if the client required this run. If the run ends before the prompt joins it, the prompt is cancelled. */
  readonly expected: boolean;
}

export interface WaitingWork {
  readonly kind: "work";
  readonly workId: string;
  readonly acceptSeq: number;
  readonly name: string;
}

export interface Run {
  readonly kind: "run";
  readonly runId: string;
  readonly startedBy: string;
  readonly attempt: number;
  /** The process that executes the run; null if the run was handed over or waits for a person. */
  readonly owner: string | null;
  readonly generation: string | null;
  readonly condition: RunCondition;
  /** The prompt that started the run, then the prompts that joined it. They settle together with the run (P2). */
  readonly prompts: readonly UnsettledPrompt[];
  readonly stage: RunStage;
  readonly step: number;
  /** Tool calls without a result. */
  readonly tools: readonly ToolCall[];
  /** Asks without an answer. */
  readonly asks: readonly Ask[];
  /** The used-up account whose limit must be raised before the run starts its next step (P6). */
  readonly waitsFor: string | null;
  /** Foreground children: the run cannot end before they do (C7). */
  readonly children: readonly Child[];
  readonly tries: Tries;
  readonly usage: Usage;
  readonly limits: RunLimits;
  /**
   * The directory limit of the prompt that started the run. The run uses no other directory, and prompts with another
   * limit cannot join it.
   */
  readonly directories: Directories;
  /** The session's agent when the run started. A later change does not affect the run, even after a takeover. */
  readonly agent: string | null;
  /** Time at which maxRunTime ends, by the store's clock. */
  readonly deadline: number | null;
  /** Time at which the owner handed the run over or was found dead; null while the run has an owner. */
  readonly cutOffAt: number | null;
  /** True if a person, or the reset of a cap, has allowed the paused run to continue. */
  readonly released: boolean;
}

/**
 * `boundary`: no step is in progress, and the next step may start. `model`: the model is answering. `tools`: the model
 * has answered, and its tool calls may be unfinished.
 */
export type RunStage = "boundary" | "model" | "tools";

export type RunCondition =
  | { readonly status: "running" }
  /** The run must stop and can only end with this outcome. Any node may enforce the end after the deadline. */
  | {
      readonly status: "stopping";
      readonly outcome: Outcome;
      /**
       * Event number up to which the stop covers prompts; later prompts return to the queue. Null: all prompts of the
       * run.
       */
      readonly mark: number | null;
      readonly deadline: number;
    }
  /** The end is committed. The run waits only for its children to end. */
  | { readonly status: "closing"; readonly outcome: Outcome };

export interface RunLimits {
  readonly maxSteps: number;
  /** Milliseconds between a stop and its enforcement (C5). */
  readonly stopGrace: number;
  readonly budget: Budget | null;
  /** Set if a used-up budget asks people for a higher limit; omitted: the run fails. */
  readonly onBudget?: "ask";
  /** How long a request for a higher limit stays open, in milliseconds; omitted: forever. */
  readonly askTime?: number;
}

/** How often a run was started. Counted before the run begins, so that a run that kills its process counts too (R3). */
export interface Tries {
  readonly total: number;
  readonly sinceStep: number;
}

/** Counts a resumed run. `sinceStep` stays the same if the run only waited for people: waiting causes no crash (R3). */
export function triesResumed(run: Run): Tries {
  const { total, sinceStep } = run.tries;
  return { total: total + 1, sinceStep: sinceStep + (onlyAsks(run) ? 0 : 1) };
}

/** Returns the counts after the run was handed over to another process: this attempt does not count (R3). */
export function triesHandedOver({ tries }: Run): Tries {
  return { total: tries.total - 1, sinceStep: Math.max(0, tries.sinceStep - 1) };
}

export interface ToolCall {
  readonly callId: string;
  readonly repeatable: boolean;
  readonly started: boolean;
  readonly gate: "open" | "asking" | "denied";
  /** Set if a hosted agent executes the call (H4). */
  readonly seen?: true;
}

/** True if the call may have acted: after a crash no process can tell whether it did (R2, H4). */
export function mayHaveActed({ started, repeatable, seen, gate }: ToolCall): boolean {
  return (started && !repeatable) || (seen === true && gate === "open");
}

export interface Ask {
  readonly askId: string;
  readonly callId: string | null;
  readonly expiresAt: number | null;
  /** The active tool call that opened the ask. */
  readonly within?: string;
  /** The account whose limit should be raised; omitted for the agent's own asks. */
  readonly accountId?: string;
}

export interface ChildReference {
  readonly sessionId: string;
  readonly promptId: string;
}

/** A child that may outlive the run that sent it. */
export interface BackgroundChild extends ChildReference {
  /** The run that sent the child's prompt. */
  readonly runId: string;
  /** Event number at which the prompt of `runId` was accepted. Cancelling all prompts up to it includes this child. */
  readonly acceptSeq: number;
  /** The prompt of this session that caused the child; null if written by a release before 0.2. */
  readonly origin: string | null;
}

export type Branch = BackgroundChild;

export interface Ancestor {
  readonly promptId: string;
  readonly acceptSeq: number;
  readonly parent: ParentLink | null;
}

export interface Child extends ChildReference {
  readonly outcome: Outcome | null;
}

/** Link from a child's prompt to the run that sent it. The transaction that settles the prompt reports to that run. */
export interface ParentLink {
  readonly sessionId: string;
  readonly runId: string;
  readonly background: boolean;
}

export interface Work {
  readonly kind: "work";
  readonly workId: string;
  readonly acceptSeq: number;
  readonly name: string;
  readonly owner: string;
  readonly stopGrace: number;
  readonly condition:
    | { readonly status: "running" }
    | { readonly status: "stopping"; readonly deadline: number };
}

export type Hold =
  | { readonly kind: "person"; readonly holdId: string; readonly reason: string }
  /** Pauses the queue after a failure that would also affect the next prompt (L4). */
  | {
      readonly kind: "failure";
      readonly holdId: string;
      readonly reason: Reason;
      readonly retryAt: number | null;
    }
  /** Pauses the queue because an interrupted run waits for a person (R1). */
  | { readonly kind: "recovery"; readonly holdId: string; readonly runId: string };

/** True if releasing the hold lets the run resume (R1). A failure hold pauses a run only at a spending cap. */
export function resumesRun(run: Run | null, hold: Hold | undefined): boolean {
  if (run === null) return false;
  if (hold?.kind === "recovery") return true;
  return hold?.kind === "failure" && run.condition.status === "running";
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

export interface Budget {
  readonly tokens: number | null;
  readonly cost: number | null;
}

/** Action when a budget is used up: fail the runs under it, or ask people for a higher limit (P6). */
export type OnBudget = "fail" | "ask";

export interface Outcome {
  readonly status: "completed" | "failed" | "cancelled";
  readonly reason: Reason | null;
  /** The run that settled the prompt: the prompt had started this run or joined it. */
  readonly runId: string | null;
  /** Hash of the final answer or the error text. */
  readonly result: string | null;
}

export type CancelReason =
  | "sessionCancel"
  | "promptCancel"
  | "queueCleared"
  | "interrupt"
  | "promoted"
  | "force"
  | "parentCancel"
  | "runEnded"
  | "deleted";

export type FailureReason =
  | "expired"
  | "runTime"
  | "budget"
  | "dailyCap"
  | "monthlyCap"
  | "tokenCap"
  | "stepLimit"
  | "crashLoop"
  | "interrupted"
  | "refused"
  | "agentError"
  | "badKey"
  | "noQuota"
  | "brokenWorkspace"
  | "modelGone"
  | "contextTooLong"
  | "contentFilter"
  | "providerError"
  | "stalled"
  | "loop";

export type Reason = CancelReason | FailureReason;

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cost: 0 };

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cost: left.cost + right.cost,
  };
}

export function itemId(item: QueueItem): string {
  return item.kind === "prompt" ? item.promptId : item.workId;
}

export function activeRun(state: LaneState): Run | null {
  return state.active?.kind === "run" ? state.active : null;
}

/**
 * True if the run only waits for people: no model call, tool call or child is active. The start of a repeatable call is
 * not always committed, so such a call counts as active from the moment when it may start.
 */
export function onlyAsks(run: Run): boolean {
  const mayAct = run.tools.some(
    ({ started, repeatable, seen, gate }) =>
      started || ((repeatable || seen === true) && gate === "open"),
  );
  const waits = run.waitsFor !== null || run.asks.some((ask) => ask.accountId === undefined);
  const isAsked = run.stage === "model" && run.waitsFor === null;
  return waits && !isAsked && !mayAct && !hasOpenChild(run);
}

export function hasOpenChild(run: Run): boolean {
  return run.children.some((child) => child.outcome === null);
}

/** Returns the state of a newly created lane. */
export function newLane(
  made: Pick<LaneState, "sessionId" | "contentHash" | "directory" | "parent" | "budget" | "seq"> & {
    readonly onBudget?: "ask";
    readonly agent?: string;
  },
): LaneState {
  const { sessionId, contentHash, directory, parent, budget, onBudget = "fail", seq } = made;
  return {
    sessionId,
    status: "open",
    contentHash,
    directory,
    parent,
    title: null,
    archived: false,
    mode: null,
    agent: made.agent ?? null,
    seq,
    fence: 0,
    queue: [],
    active: null,
    holds: [],
    background: [],
    branches: [],
    ancestors: [],
    usage: noUsage,
    budget,
    onBudget,
  };
}
