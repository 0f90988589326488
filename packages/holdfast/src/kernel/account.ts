import { activeRun } from "./state.ts";
import type { Budget, LaneState, OnBudget, Run, UnsettledPrompt, Usage } from "./state.ts";
import { capsOfPrompt, isToken } from "./cap.ts";
import type { Caps } from "./cap.ts";
import type { Command } from "./command.ts";

// A budget is an account: a row of the store, beside the lanes, that every step below it is charged to (P6).
// A run of any lane may be below it, so it is read and written in the step's own transaction.

export interface Account {
  readonly id: string;
  /** The session, or the prompt in it, that has the budget. */
  readonly carrier: Carrier;
  readonly spent: Usage;
  readonly limit: Budget;
  /** What a plain yes adds to the limit. */
  readonly raise: Budget;
  readonly onBudget: OnBudget;
  /** The open ask for a higher limit: at most one. */
  readonly ask: (RunReference & { readonly askId: string }) | null;
  /** Runs that wait at a step boundary until the ask is closed. */
  readonly waiting: readonly RunReference[];
}

export interface Carrier {
  readonly sessionId: string;
  /** Null: the session itself. */
  readonly promptId: string | null;
}

export interface RunReference {
  readonly sessionId: string;
  readonly runId: string;
}

/** The id is unambiguous: no session or prompt id contains a slash. */
export function accountId({ sessionId, promptId }: Carrier): string {
  return promptId === null ? `session:${sessionId}` : `prompt:${sessionId}/${promptId}`;
}

/** The accounts that a run of this prompt is charged to: its own, its session's, and those inherited. */
export function accountsOfPrompt(
  state: LaneState,
  prompt: UnsettledPrompt,
  budget: Budget | null,
): readonly string[] {
  const { sessionId } = state;
  const ids = prompt.accounts.filter((id) => !isToken(id));
  if (state.budget !== null) ids.unshift(accountId({ sessionId, promptId: null }));
  if (budget !== null) ids.unshift(accountId({ sessionId, promptId: prompt.promptId }));
  return [...new Set(ids)];
}

export function accountsOfRun(state: LaneState, run: Run): readonly string[] {
  const [prompt] = run.prompts;
  return prompt === undefined ? [] : accountsOfPrompt(state, prompt, run.limits.budget);
}

/** What the run's children inherit: the accounts above it, and the token that it is charged to. */
export function inheritedAccounts(state: LaneState, run: Run): readonly string[] {
  return [...accountsOfRun(state, run), ...(run.prompts[0]?.accounts ?? []).filter(isToken)];
}

export function isCarrier(run: Run, { promptId }: Carrier): boolean {
  return promptId === null || run.startedBy === promptId;
}

export function isSpent(usage: Usage, limit: Budget): boolean {
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    (limit.tokens !== null && tokens >= limit.tokens) ||
    (limit.cost !== null && usage.cost >= limit.cost)
  );
}

/** What a commit does to an account: a charge alone commutes with those of other commits. */
export interface AccountChange {
  /** As it is afterwards. */
  readonly account: Account;
  readonly charge: Usage;
  readonly isChargeOnly: boolean;
}

/** A part without a limit stays without one. */
export function raised(limit: Budget, by: Budget): Budget {
  return { tokens: sum(limit.tokens, by.tokens), cost: sum(limit.cost, by.cost) };
}

function sum(limit: number | null, by: number | null): number | null {
  return limit === null ? null : limit + (by ?? 0);
}

/** The accounts that the rules read for a command; none where no budget is near. */
export function accountsNeeded(state: LaneState | null, command: Command): readonly string[] {
  if (state === null) return [];
  const ids: string[] = [];
  if (command.type === "account.ask") ids.push(command.accountId);
  const run = activeRun(state);
  if (run !== null) {
    // Any command may end the run, and so its wait.
    if (run.waitsFor !== null) ids.push(run.waitsFor);
    for (const { accountId: asked } of run.asks) if (asked !== undefined) ids.push(asked);
    if (atStep.has(command.type)) ids.push(...accountsOfRun(state, run));
    if ("caps" in command) ids.push(...capIds(command, run.prompts[0]));
  } else if (command.type === "run.start") {
    const first = startingPrompt(state, command.at);
    const hasBudget = command.budget !== null || (first?.budget ?? null) !== null;
    if (first !== null) ids.push(...accountsOfPrompt(state, first, hasBudget ? noLimit : null));
    if (first !== null) ids.push(...capIds(command, first));
  }
  return [...new Set(ids)];
}

function capIds(
  command: { readonly at: number; readonly caps?: Caps },
  prompt: UnsettledPrompt | undefined,
): readonly string[] {
  return capsOfPrompt(command.caps, command.at, prompt).map((cap) => cap.accountId);
}

const noLimit: Budget = { tokens: null, cost: null };

const atStep: ReadonlySet<Command["type"]> = new Set(["run.boundary", "run.end", "step.answer"]);

/** The prompt that a start takes: messages and expired prompts are settled before it. */
function startingPrompt({ queue }: LaneState, at: number): UnsettledPrompt | null {
  for (const item of queue) {
    if (item.kind === "work") return null;
    const expired = item.expiresAt !== null && item.expiresAt <= at;
    if (item.reply && !expired) return item;
  }
  return null;
}
