import { addUsage } from "../../../src/kernel/state.ts";
import type { Budget, Usage } from "../../../src/kernel/state.ts";
import { runOf } from "./records.ts";
import type { AccountRecord, AskRecord, Lane, Model, Prompt, RunRecord } from "./records.ts";

// P6 in the model: each budget has one account, and every step under the budget, in any session, is charged to it.

export function openAccount(
  model: Model,
  lane: Lane,
  terms: { prompt: Prompt | null; limits: readonly (Budget | null)[]; asks: boolean; used: Usage },
): AccountRecord | null {
  const { prompt, asks, used } = terms;
  const limits = terms.limits.filter((limit) => limit !== null);
  if (limits.length === 0) return null;
  const id = prompt === null ? `session:${lane.id}` : `prompt:${lane.id}/${prompt.id}`;
  const known = model.accounts.get(id);
  if (known !== undefined) return known;
  const most = {
    tokens: least(limits.map(({ tokens }) => tokens)),
    cost: least(limits.map(({ cost }) => cost)),
  };
  const account: AccountRecord = {
    id,
    lane,
    prompt,
    limit: most,
    more: most,
    used,
    asks,
    ask: null,
    waiting: [],
  };
  model.accounts.set(id, account);
  return account;
}

function least(amounts: readonly (number | null)[]): number | null {
  const given = amounts.filter((amount) => amount !== null);
  return given.length === 0 ? null : Math.min(...given);
}

export function charge(run: RunRecord, usage: Usage): void {
  for (const account of run.accounts) account.used = addUsage(account.used, usage);
}

/** P6: returns an account of the run that is used up. Accounts that end the run come first. */
export function spentAccount(run: RunRecord): AccountRecord | null {
  const spent = run.accounts.filter(isSpent);
  return spent.find(({ asks }) => !asks) ?? spent[0] ?? null;
}

function isSpent({ limit, used }: AccountRecord): boolean {
  const tokens = used.inputTokens + used.outputTokens;
  if (limit.tokens !== null && tokens >= limit.tokens) return true;
  return limit.cost !== null && used.cost >= limit.cost;
}

/** The run waits, and one ask serves all waiting runs. */
export function wait(model: Model, lane: Lane, run: RunRecord, account: AccountRecord): void {
  if (run.waitsFor === account) return;
  leave(run);
  run.waitsFor = account;
  account.waiting.push({ lane, run });
  if (account.ask !== null) return;
  if (account.lane === lane) ask(model, lane, run, account);
  else model.outbox.push(() => askCarrier(model, account));
}

/** Chooses the run that shows the ask: preferably the run of the prompt that has the budget. */
function askCarrier(model: Model, account: AccountRecord): void {
  if (account.ask !== null) return;
  const run = runOf(account.lane);
  const carries = account.prompt === null || run?.prompts[0] === account.prompt;
  if (run !== null && run.stop === null && carries) ask(model, account.lane, run, account);
  else askNext(model, account);
}

function askNext(model: Model, account: AccountRecord): void {
  const [next] = account.waiting;
  if (next === undefined) return;
  model.outbox.push(() => {
    if (account.ask === null) ask(model, next.lane, next.run, account);
  });
}

function ask(model: Model, lane: Lane, run: RunRecord, account: AccountRecord): void {
  lane.budgetAsks += 1;
  const record: AskRecord = {
    id: model.budgetAskId(lane.id, lane.budgetAsks),
    runId: run.id,
    callId: null,
    expiresAt: run.askTime === null ? null : model.now + run.askTime,
    account,
    resolution: null,
    verdict: null,
  };
  lane.asks.set(record.id, record);
  run.asks.push(record);
  account.ask = record;
}

/** A yes raises the limit; a no or an expiry ends the ask. All waiting runs check their accounts again. */
export function resolve(
  model: Model,
  account: AccountRecord,
  verdict: "allow" | "deny" | "expired",
): void {
  account.ask = null;
  if (verdict === "allow") {
    const { limit, more } = account;
    account.limit = {
      tokens: limit.tokens === null ? null : limit.tokens + (more.tokens ?? 0),
      cost: limit.cost === null ? null : limit.cost + (more.cost ?? 0),
    };
  } else account.asks = false;
  for (const { lane, run } of account.waiting.splice(0)) {
    model.outbox.push(() => {
      if (run.waitsFor !== account) return;
      run.waitsFor = null;
      if (verdict !== "expired") release(lane);
    });
  }
}

/** R1: a person has answered, so the run may continue, however long ago it was interrupted. */
export function release(lane: Lane): void {
  const run = runOf(lane);
  if (run !== null && lane.holds.some((hold) => hold.kind === "recovery")) run.released = true;
  lane.holds = lane.holds.filter((hold) => hold.kind !== "recovery");
}

/** Removes a stopping run from all waits, and passes its ask on. */
export function leaveAccounts(model: Model, run: RunRecord): void {
  leave(run);
  for (const { account } of run.asks) {
    if (account === null) continue;
    account.ask = null;
    askNext(model, account);
  }
}

function leave(run: RunRecord): void {
  const account = run.waitsFor;
  if (account === null) return;
  account.waiting = account.waiting.filter((other) => other.run !== run);
  run.waitsFor = null;
}
