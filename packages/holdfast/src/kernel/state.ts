import type { Directories } from "./directories.ts";

// A lane's state: only what is unsettled, so its size does not grow with the session's history.
// Bodies are never here, only the names under which the store keeps them.

export interface LaneState {
  readonly sessionId: string;
  readonly status: "open" | "deleted";
  /** What the session was created with, so that a repeated creation can be told from another one. */
  readonly contentHash: string;
  readonly directory: string;
  readonly parent: SessionParent | null;
  readonly title: string | null;
  /** A label that people set; the next accepted prompt takes it off. No rule looks at it. */
  readonly archived: boolean;
  /** The last event's place in the log. It doubles as the version that optimistic writers compare. */
  readonly seq: number;
  /** Raised by every start and takeover; an owner's writes carry the value that it was given (L5). */
  readonly fence: number;
  /** Waiting prompts and waiting exclusive work, in the order in which they start (L2). */
  readonly queue: readonly QueueItem[];
  /** At most one thing has the lane: L1 by construction. */
  readonly active: Run | Work | null;
  readonly holds: readonly Hold[];
  /** Children whose result will come back as a prompt of its own (C7). */
  readonly background: readonly BackgroundChild[];
  /** Settled children that still have live descendants: a cancel with `tree` passes through them. */
  readonly branches: readonly Branch[];
  /** Settled prompts of this session that still have live descendants (C7, P6). */
  readonly ancestors: readonly Ancestor[];
  readonly usage: Usage;
  readonly budget: Budget | null;
  readonly onBudget: OnBudget;
}

export interface SessionParent {
  readonly sessionId: string;
  readonly runId: string;
}

export type QueueItem = UnsettledPrompt | WaitingWork;

/** What rules need to know of a prompt while it is unsettled; the rest is in its ledger row. */
export interface UnsettledPrompt {
  readonly kind: "prompt";
  readonly promptId: string;
  readonly acceptSeq: number;
  readonly parent: ParentLink | null;
  readonly revision: number;
  /** The run that a steer waits to enter; null once it is an ordinary queued prompt (L6). */
  readonly binding: SteerBinding | null;
  /** False for a message that wants no reply: it enters the transcript and starts nothing (P7). */
  readonly reply: boolean;
  readonly expiresAt: number | null;
  readonly maxRunTime: number | null;
  readonly budget: Budget | null;
  /**
   * On a background child's result: the prompt of this session that the child descends from. Null
   * on every other prompt, which is an origin itself.
   */
  readonly origin: string | null;
  /** A cancel with `tree` covers it: its outcome is recorded at its parent and wakes nobody. */
  readonly unwanted: boolean;
  readonly onBudget: OnBudget;
  /** The accounts of those that caused it, to which its run is charged as well (P6). */
  readonly accounts: readonly string[];
  /** The limit of whoever sent it, and of whoever edited it since. */
  readonly directories: Directories;
}

export interface SteerBinding {
  readonly runId: string;
  /** The client named this run: without it the prompt is settled, not queued. */
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
  /** The process that executes it; null while nobody does (handed over, or kept for a person). */
  readonly owner: string | null;
  readonly generation: string | null;
  readonly condition: RunCondition;
  /** The starting prompt first, then those taken in. They settle with the run (P2). */
  readonly prompts: readonly UnsettledPrompt[];
  readonly stage: RunStage;
  readonly step: number;
  /** Tool calls without a result. */
  readonly tools: readonly ToolCall[];
  /** Asks without an answer. */
  readonly asks: readonly Ask[];
  /** The spent account for which the run waits at a step boundary (P6). */
  readonly waitsFor: string | null;
  /** Foreground children: the run ends after them (C7). */
  readonly children: readonly Child[];
  readonly tries: Tries;
  readonly usage: Usage;
  readonly limits: RunLimits;
  /** Its starting prompt's: it reaches no other directory, and takes in no prompt with another limit. */
  readonly directories: Directories;
  /** When maxRunTime is over, by the store's clock. */
  readonly deadline: number | null;
  /** When its owner handed it over, or was found dead; null while it is owned. */
  readonly cutOffAt: number | null;
  /** What had kept the run, for a person or for a cap, keeps it no longer. */
  readonly released: boolean;
}

/** boundary: a step may open. model: an answer is awaited. tools: answered, calls may be open. */
export type RunStage = "boundary" | "model" | "tools";

export type RunCondition =
  | { readonly status: "running" }
  /** Told to stop: it can only end with this outcome; any node may enforce it after the deadline. */
  | {
      readonly status: "stopping";
      readonly outcome: Outcome;
      /** Prompts above it live on; null covers all of the run's prompts. */
      readonly mark: number | null;
      readonly deadline: number;
    }
  /** Its end is committed; it waits for its children only. */
  | { readonly status: "closing"; readonly outcome: Outcome };

export interface RunLimits {
  readonly maxSteps: number;
  /** Milliseconds between a stop and its enforcement (C5). */
  readonly stopGrace: number;
  readonly budget: Budget | null;
  /** Left out: fail. */
  readonly onBudget?: "ask";
  /** How long an ask for a higher limit stays open, in milliseconds; left out: for ever. */
  readonly askTime?: number;
}

/** How often the run was begun: counted at the claim, so that a run that kills its process is counted (R3). */
export interface Tries {
  readonly total: number;
  readonly sinceStep: number;
}

/** A run that only waits for people did not kill its process, so it is not counted since the last step (R3). */
export function triesResumed(run: Run): Tries {
  const { total, sinceStep } = run.tries;
  return { total: total + 1, sinceStep: sinceStep + (onlyAsks(run) ? 0 : 1) };
}

/** An attempt that was handed over is not counted (R3). */
export function triesHandedOver({ tries }: Run): Tries {
  return { total: tries.total - 1, sinceStep: Math.max(0, tries.sinceStep - 1) };
}

export interface ToolCall {
  readonly callId: string;
  readonly repeatable: boolean;
  readonly started: boolean;
  readonly gate: "open" | "asking" | "denied";
}

export interface Ask {
  readonly askId: string;
  readonly callId: string | null;
  readonly expiresAt: number | null;
  /** The account whose limit it asks to raise; left out for the agent's own asks. */
  readonly accountId?: string;
}

export interface ChildReference {
  readonly sessionId: string;
  readonly promptId: string;
}

/** A child that outlives the run that sent it, or may. */
export interface BackgroundChild extends ChildReference {
  /** The run that sent it. */
  readonly runId: string;
  /** The acceptSeq of the prompt that started that run: a cancel's mark is compared with it. */
  readonly acceptSeq: number;
  /** The prompt of this session that it descends from; null if written by a release before 0.2. */
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

/** On a child's prompt: where its outcome is reported, from its own settling transaction. */
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
  /** After a failure that the next prompt would share (L4). */
  | {
      readonly kind: "failure";
      readonly holdId: string;
      readonly reason: Reason;
      readonly retryAt: number | null;
    }
  /** A run that was cut off waits for a person (R1). */
  | { readonly kind: "recovery"; readonly holdId: string; readonly runId: string };

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

export interface Budget {
  readonly tokens: number | null;
  readonly cost: number | null;
}

/** What a spent budget does: fail the tree below it, or ask people for more (P6). */
export type OnBudget = "fail" | "ask";

export interface Outcome {
  readonly status: "completed" | "failed" | "cancelled";
  readonly reason: Reason | null;
  /** The run that it settled with, also for a prompt that was taken in. */
  readonly runId: string | null;
  /** The body that holds the final answer or the error's text. */
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
 * Nothing of the run can be at work before people answer: no model, no call and no child. A call that may
 * be repeated acts without a committed start.
 */
export function onlyAsks(run: Run): boolean {
  const mayAct = run.tools.some(
    ({ started, repeatable, gate }) => started || (repeatable && gate === "open"),
  );
  const waits = run.waitsFor !== null || run.asks.some((ask) => ask.accountId === undefined);
  const isAsked = run.stage === "model" && run.waitsFor === null;
  return waits && !isAsked && !mayAct && !hasOpenChild(run);
}

export function hasOpenChild(run: Run): boolean {
  return run.children.some((child) => child.outcome === null);
}

/** A lane in which nothing has happened but that it was made. */
export function newLane(
  made: Pick<LaneState, "sessionId" | "contentHash" | "directory" | "parent" | "budget" | "seq"> & {
    readonly onBudget?: "ask";
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
