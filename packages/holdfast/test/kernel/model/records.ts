import type { AskResolution, Delivery, ToolStatus } from "../../../src/kernel/event.ts";
import { noUsage } from "../../../src/kernel/state.ts";
import type { Budget, ParentLink, Reason, SessionMode, Usage } from "../../../src/kernel/state.ts";

// Records of the model: plain mutable data that is never deleted. The model shares no rule with the kernel, only
// names. If both have the same error, the error is in the promises.

export interface Model {
  now: number;
  readonly lanes: Map<string, Lane>;
  /** Processes with a current lease. */
  readonly alive: Set<string>;
  readonly lostAt: Map<string, number>;
  /** Seq of the event that created an item. The model does not count events itself. */
  readonly seqOf: (sessionId: string, id: string) => number;
  /** Commands between lanes, executed after the command that caused them, in order. */
  readonly outbox: (() => void)[];
  /** Every budget, by the name under which prompts refer to it. */
  readonly accounts: Map<string, AccountRecord>;
  /** Id of a session's n-th ask for a higher limit in the log. */
  readonly budgetAskId: (sessionId: string, count: number) => string;
}

export interface AccountRecord {
  readonly id: string;
  /** The lane and the prompt that the budget was set on; no prompt: the session itself. */
  readonly lane: Lane;
  readonly prompt: Prompt | null;
  limit: Budget;
  /** Amount that a yes adds to the limit. */
  readonly more: Budget;
  used: Usage;
  /** True if people are asked for a higher limit when the budget is used up. */
  asks: boolean;
  ask: AskRecord | null;
  waiting: { lane: Lane; run: RunRecord }[];
}

export interface Lane {
  readonly id: string;
  readonly hash: string;
  deleted: boolean;
  title: string | null;
  mode: SessionMode | null;
  agent: string | null;
  archived: boolean;
  fence: number;
  /** Every prompt that was accepted, or cancelled before it arrived, in order. */
  readonly prompts: Prompt[];
  queue: (Prompt | WorkItem)[];
  active: RunRecord | WorkItem | null;
  holds: HoldRecord[];
  background: ChildRecord[];
  /** Every child that was ever linked. */
  readonly links: ChildRecord[];
  readonly receipts: Map<string, ReceiptRecord>;
  readonly asks: Map<string, AskRecord>;
  /** Every exclusive operation that was requested. */
  readonly works: WorkItem[];
  /** Status of each tool call that has ended. */
  readonly results: Map<string, ToolStatus>;
  readonly budget: Budget | null;
  readonly asksForMore: boolean;
  budgetAsks: number;
  usage: Usage;
}

export interface Prompt {
  readonly kind: "prompt";
  readonly id: string;
  readonly seq: number;
  /** Null if the prompt was cancelled before it arrived. */
  readonly hash: string | null;
  readonly delivery: Delivery;
  readonly reply: boolean;
  readonly parent: ParentLink | null;
  readonly expiresAt: number | null;
  readonly maxRunTime: number | null;
  readonly budget: Budget | null;
  readonly asksForMore: boolean;
  readonly accounts: AccountRecord[];
  revision: number;
  body: string | null;
  boundTo: string | null;
  /** True if the client named the run that the prompt should join. */
  expected: boolean;
  status: "queued" | "running" | "settled";
  run: string | null;
  outcome: Ending | null;
  /** The session of the background child whose result the prompt contains. */
  resultFrom: string | null;
  /** For such a result: the prompt of this session for which the child was started. */
  readonly under: Prompt | null;
  /** True if a cancel with tree covers the prompt: its outcome starts no run of its parent. */
  unwanted: boolean;
  /** For an interrupting prompt: the ids that it cancelled. */
  cancelled: string[] | null;
}

export interface Ending {
  status: "completed" | "failed" | "cancelled";
  reason: Reason | null;
  runId: string | null;
}

export interface WorkItem {
  readonly kind: "work";
  readonly id: string;
  readonly seq: number;
  readonly name: string;
  readonly body: string | null;
  ended: { cause: string; result: string | null } | null;
  owner: string | null;
  stopGrace: number;
  stopBy: number | null;
}

export interface RunRecord {
  readonly kind: "run";
  readonly id: string;
  readonly prompts: Prompt[];
  attempt: number;
  owner: string | null;
  /** Null while it runs. `by` null: it has ended and waits for children. */
  stop: { ending: Ending; mark: number | null; by: number | null } | null;
  stage: "boundary" | "model" | "tools";
  step: number;
  calls: CallRecord[];
  asks: AskRecord[];
  children: ChildRecord[];
  tries: number;
  triesSinceStep: number;
  usage: Usage;
  readonly maxSteps: number;
  readonly stopGrace: number;
  /** Accounts of the run: its own, its session's, and those of the prompts that it descends from. */
  accounts: AccountRecord[];
  waitsFor: AccountRecord | null;
  readonly askTime: number | null;
  readonly deadline: number | null;
  /** The agent that the session had when the run started. */
  readonly agent: string | null;
  cutOffAt: number | null;
  /** True if a draining owner handed the run over, which is not a crash. */
  handedOver: boolean;
  released: boolean;
}

export interface CallRecord {
  readonly id: string;
  readonly repeatable: boolean;
  /** A hosted agent executes it. */
  readonly seen: boolean;
  started: boolean;
  gate: "open" | "asking" | "denied";
}

export interface AskRecord {
  readonly id: string;
  readonly runId: string;
  readonly callId: string | null;
  readonly expiresAt: number | null;
  /** The budget that it asks to raise. */
  readonly account: AccountRecord | null;
  resolution: AskResolution["kind"] | null;
  verdict: "allow" | "deny" | null;
}

export interface ChildRecord {
  readonly sessionId: string;
  readonly promptId: string;
  readonly runId: string;
  /** The prompt that started that run. */
  readonly sender: Prompt;
  readonly background: boolean;
  readonly accounts: AccountRecord[];
  settled: boolean;
  /** True if the owner has reported that the child's prompt was refused: no outcome is expected. */
  forgotten: boolean;
}

export interface HoldRecord {
  readonly kind: "person" | "failure" | "recovery";
  /** Id of a hold that a person placed. Null for holds whose id the kernel creates. */
  readonly id: string | null;
  readonly retryAt: number | null;
  readonly reason: string | null;
}

export interface ReceiptRecord {
  readonly background: string[];
  readonly covered: { id: string; seq: number; was: string; run: string | null }[];
  readonly work: string[];
  readonly children: string[];
}

export function createModel(log: Pick<Model, "seqOf" | "budgetAskId">): Model {
  return {
    now: 0,
    lanes: new Map(),
    alive: new Set(),
    lostAt: new Map(),
    outbox: [],
    accounts: new Map(),
    ...log,
  };
}

export function createLane(
  id: string,
  hash: string,
  terms: Pick<Lane, "budget" | "asksForMore" | "agent">,
): Lane {
  return {
    id,
    hash,
    deleted: false,
    title: null,
    mode: null,
    archived: false,
    fence: 0,
    prompts: [],
    queue: [],
    active: null,
    holds: [],
    background: [],
    links: [],
    receipts: new Map(),
    asks: new Map(),
    works: [],
    results: new Map(),
    ...terms,
    budgetAsks: 0,
    usage: noUsage,
  };
}

export function isClosing(run: RunRecord): boolean {
  return run.stop !== null && run.stop.by === null;
}

export function isStopping(run: RunRecord): boolean {
  return run.stop !== null && run.stop.by !== null;
}

export function runOf(lane: Lane): RunRecord | null {
  return lane.active?.kind === "run" ? lane.active : null;
}

export function waitingPrompts(lane: Lane): Prompt[] {
  return lane.queue.filter((item) => item.kind === "prompt");
}

export function findPrompt(lane: Lane, id: string): Prompt | null {
  return lane.prompts.find((prompt) => prompt.id === id) ?? null;
}

/** The prompt that everything started by this prompt's run descends from. */
export function originOf(prompt: Prompt): Prompt {
  return prompt.under ?? prompt;
}
