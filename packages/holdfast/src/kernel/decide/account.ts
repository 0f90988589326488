import { accountId, accountsOfRun, isCarrier, isSpent, raised } from "../account.ts";
import type { Account, RunReference } from "../account.ts";
import { capsOfPrompt, newCapAccount } from "../cap.ts";
import type { Caps } from "../cap.ts";
import type { CommandOf } from "../command.ts";
import { chargeAccount, emit, putAccount, send } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, addUsage } from "../state.ts";
import type { Budget, Run, Usage } from "../state.ts";
import { releaseRun } from "./hold.ts";

// Rules for charging steps to accounts (P6). Sessions share accounts: a charge by one session affects the others.

/** Creates the accounts for the run's own budgets, so that runs of its children can be charged to them. */
export function openAccounts(draft: Draft, run: Run): void {
  for (const account of ownAccounts(draft, run)) {
    if (!draft.accounts.has(account.id)) putAccount(draft, account);
  }
}

/** Adds a step's usage to all budgets and caps that limit the run. `run`: the run's state before the step's answer. */
export function charge(
  draft: Draft,
  step: { run: Run; usage: Usage; caps: Caps | undefined },
): void {
  const { run, usage, caps } = step;
  if (usage.inputTokens + usage.outputTokens + usage.cost === 0) return;
  for (const account of accountsAbove(draft, run)) chargeAccount(draft, account, usage);
  for (const cap of capsOfPrompt(caps, draft.envelope.at, run.prompts[0])) {
    chargeAccount(draft, draft.accounts.get(cap.accountId) ?? newCapAccount(cap), usage);
  }
}

/**
 * Returns an account of the run that is used up. If there are several, accounts that fail the run come before
 * accounts that ask for a higher limit.
 */
export function spentAccount(draft: Draft, run: Run): Account | null {
  const spent = accountsAbove(draft, run).filter((account) =>
    isSpent(account.spent, account.limit),
  );
  return spent.find(({ onBudget }) => onBudget === "fail") ?? spent[0] ?? null;
}

/** Makes the run wait before its next step. If the account has no open request for a higher limit, one is opened. */
export function waitForAccount(draft: Draft, wait: { run: Run; account: Account }): void {
  const { run, account } = wait;
  if (run.waitsFor === account.id) return;
  const own = reference(draft, run);
  leaveWait(draft, run);
  emit(draft, { type: "run.waiting", runId: run.runId, accountId: account.id });
  putAccount(draft, { ...account, waiting: [...account.waiting, own] });
  if (account.ask !== null) return;
  const { sessionId } = account.carrier;
  // The budget belongs to this run's own session, so ask for a higher limit in this run.
  if (sessionId === own.sessionId) {
    openAsk(draft, run, account.id);
    return;
  }
  const ask = { type: "account.ask", accountId: account.id } as const;
  const otherwise = { to: own.sessionId, data: { ...ask, runId: run.runId } };
  send(draft, { to: sessionId, data: { ...ask, runId: null }, otherwise });
}

/** Opens the request for a higher limit in this session's run. If that run has ended, another waiting run gets it. */
export function decideAccountAsk(draft: Draft, command: CommandOf<"account.ask">): Refused | null {
  const account = draft.accounts.get(command.accountId);
  if (account === undefined || account.ask !== null || account.waiting.length === 0) return null;
  const run = activeRun(draft.state);
  const isMeant =
    command.runId === null
      ? run !== null && isCarrier(run, account.carrier)
      : run?.runId === command.runId && run.waitsFor === account.id;
  if (run !== null && isMeant && run.condition.status === "running") {
    openAsk(draft, run, account.id);
    return null;
  }
  const { sessionId } = draft.envelope;
  const gone = { sessionId, runId: command.runId ?? "" };
  const waiting = account.waiting.filter((other) => !isSame(other, gone));
  putAccount(draft, { ...account, waiting });
  askNext(draft, account.id);
  return null;
}

/** Ends the wait of the run. The run checks its accounts again before its next step. */
export function decideAccountWake(draft: Draft, command: CommandOf<"account.wake">): null {
  const { accountId: id, runId, answered } = command;
  const run = activeRun(draft.state);
  if (run?.runId !== runId || run.waitsFor !== id) return null;
  emit(draft, { type: "run.woken", runId, accountId: id });
  if (answered) releaseRun(draft);
  return null;
}

/** Closes the request and adds `raise` to the limit; null: the limit stays the same. All waiting runs continue. */
export function closeAccountAsk(
  draft: Draft,
  close: { accountId: string; raise: Budget | null; answered: boolean },
): void {
  const account = draft.accounts.get(close.accountId);
  if (account === undefined) return;
  const { raise, answered } = close;
  const next: Account =
    raise === null
      ? { ...account, onBudget: "fail" }
      : { ...account, limit: raised(account.limit, raise) };
  putAccount(draft, { ...next, ask: null, waiting: [] });
  for (const { sessionId, runId } of account.waiting) {
    const wake = { type: "account.wake", accountId: account.id, runId, answered } as const;
    if (sessionId === draft.envelope.sessionId) {
      decideAccountWake(draft, { ...draft.envelope, ...wake });
    } else {
      send(draft, { to: sessionId, data: wake });
    }
  }
}

/**
 * Ends a stopping run's wait for a higher budget. If the request for a higher limit is open on this run, moves the
 * request to the next run that waits.
 */
export function leaveAccounts(draft: Draft, run: Run): void {
  leaveWait(draft, run);
  const own = reference(draft, run);
  for (const { id, ask } of draft.accounts.values()) {
    if (ask === null || !isSame(ask, own)) continue;
    const account = draft.accounts.get(id);
    if (account === undefined) continue;
    putAccount(draft, { ...account, ask: null });
    askNext(draft, id);
  }
}

function leaveWait(draft: Draft, run: Run): void {
  const own = reference(draft, run);
  for (const account of draft.accounts.values()) {
    const waiting = account.waiting.filter((other) => !isSame(other, own));
    if (waiting.length < account.waiting.length) putAccount(draft, { ...account, waiting });
  }
}

function askNext(draft: Draft, id: string): void {
  const [next] = draft.accounts.get(id)?.waiting ?? [];
  if (next === undefined) return;
  send(draft, {
    to: next.sessionId,
    data: { type: "account.ask", accountId: id, runId: next.runId },
  });
}

function openAsk(draft: Draft, run: Run, id: string): void {
  const account = draft.accounts.get(id);
  if (account === undefined) return;
  const { runId, attempt } = run;
  const { askTime = null } = run.limits;
  const { spent, limit, raise } = account;
  // An id that is unique in its session and that clients and agents cannot choose.
  const askId = `budget:${draft.state.seq + 1}`;
  emit(draft, {
    type: "ask.opened",
    runId,
    askId,
    callId: null,
    body: null,
    expiresAt: askTime === null ? null : draft.envelope.at + askTime,
    budget: { accountId: id, spent, limit, raise },
    fence: draft.state.fence,
    attempt,
  });
  putAccount(draft, { ...account, ask: { ...reference(draft, run), askId } });
}

/**
 * Lists the accounts that the run is charged to: the stored ones, and the run's own accounts even if they are not
 * stored yet.
 */
function accountsAbove(draft: Draft, run: Run): readonly Account[] {
  const own = new Map(ownAccounts(draft, run).map((account) => [account.id, account]));
  return accountsOfRun(draft.state, run).flatMap((id) => {
    const account = draft.accounts.get(id) ?? own.get(id);
    return account === undefined ? [] : [account];
  });
}

/**
 * Returns the run's own accounts with their initial values. The spent amount includes the usage of the run so far:
 * zero, unless an older release started the run.
 */
function ownAccounts({ state }: Draft, run: Run): readonly Account[] {
  const { sessionId, budget, onBudget } = state;
  const { limits, startedBy } = run;
  const accounts: Account[] = [];
  const none = { ask: null, waiting: [] };
  if (limits.budget !== null) {
    const carrier = { sessionId, promptId: startedBy };
    const limit = limits.budget;
    const mode = limits.onBudget ?? "fail";
    const id = accountId(carrier);
    accounts.push({ id, carrier, spent: run.usage, limit, raise: limit, onBudget: mode, ...none });
  }
  if (budget !== null) {
    const carrier = { sessionId, promptId: null };
    const spent = addUsage(state.usage, run.usage);
    const id = accountId(carrier);
    accounts.push({ id, carrier, spent, limit: budget, raise: budget, onBudget, ...none });
  }
  return accounts;
}

function reference(draft: Draft, { runId }: Run): RunReference {
  return { sessionId: draft.envelope.sessionId, runId };
}

function isSame(left: RunReference, right: RunReference): boolean {
  return left.sessionId === right.sessionId && left.runId === right.runId;
}
