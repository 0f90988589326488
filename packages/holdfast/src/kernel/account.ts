import { startingPrompt } from "./attention.ts";
import { activeRun } from "./state.ts";
import type { Budget, LaneState, OnBudget, Run, UnsettledPrompt, Usage } from "./state.ts";
import { capsOfPrompt, isToken } from "./cap.ts";
import type { Caps } from "./cap.ts";
import type { Command } from "./command.ts";

// An account records the limit of a budget and its usage so far. The store keeps one row per account, and each step
// of a run under the budget is charged to that row (P6). Runs of several lanes can share an account, so a step reads
// and writes the row in its own transaction.

export interface Account {
  readonly id: string;
  /** The session or prompt that the budget was set on. */
  readonly carrier: Carrier;
  readonly spent: Usage;
  readonly limit: Budget;
  /** Amount that is added to the limit if the person agrees without naming an amount. */
  readonly raise: Budget;
  readonly onBudget: OnBudget;
  /** The open request for a higher limit; null: none. There is at most one. */
  readonly ask: (RunReference & { readonly askId: string }) | null;
  /** Runs that wait for the answer to this request before their next step. */
  readonly waiting: readonly RunReference[];
}

export interface Carrier {
  readonly sessionId: string;
  /** Null: the budget belongs to the session itself. */
  readonly promptId: string | null;
}

export interface RunReference {
  readonly sessionId: string;
  readonly runId: string;
}

/** Builds a unique account id: session and prompt ids contain no slash. */
export function accountId({ sessionId, promptId }: Carrier): string {
  return promptId === null ? `session:${sessionId}` : `prompt:${sessionId}/${promptId}`;
}

/**
 * Lists the accounts that a run of this prompt is charged to: the prompt's own account, its session's account, and
 * inherited accounts.
 */
function accountsOfPrompt(
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

/**
 * Lists the accounts that the run's children inherit: all accounts that the run is charged to, and the account of the
 * token that sent the run's first prompt.
 */
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

/**
 * The change that a commit makes to an account. Charges from different commits can be applied in any order.
 */
export interface AccountChange {
  /** State of the budget account after the commit has changed it. */
  readonly account: Account;
  readonly charge: Usage;
  readonly isChargeOnly: boolean;
}

/** Adds an amount to the limit. If tokens or cost are unlimited, they stay unlimited. */
export function raised(limit: Budget, by: Budget): Budget {
  return { tokens: sum(limit.tokens, by.tokens), cost: sum(limit.cost, by.cost) };
}

function sum(limit: number | null, by: number | null): number | null {
  return limit === null ? null : limit + (by ?? 0);
}

/** Lists the accounts that the store must read to decide a command; empty if no budget is involved. */
export function accountsNeeded(state: LaneState | null, command: Command): readonly string[] {
  if (state === null) return [];
  const ids: string[] = [];
  if (command.type === "account.ask") ids.push(command.accountId);
  const run = activeRun(state);
  if (run !== null) {
    // Any command may end the run, which removes the run from the `waiting` list of this account.
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
