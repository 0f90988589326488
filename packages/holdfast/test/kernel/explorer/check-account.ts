import type { Account } from "../../../src/kernel/account.ts";
import type { Command } from "../../../src/kernel/command.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { Ask, LaneState } from "../../../src/kernel/state.ts";
import type { Fail } from "./check-event.ts";
import { livePrompts } from "./family.ts";
import type { PromptKind, Scenario } from "./scenario.ts";
import { laneOf } from "./world.ts";
import type { Transaction, World } from "./world.ts";

// P6: checks the accounts against budgets and usage that are computed from the ledgers.

interface Step {
  readonly world: World;
  readonly scenario: Scenario;
  readonly command: Command;
  readonly transaction: Transaction;
}

/** A waiting run is listed in its account, and one ask is open for all waiting runs. */
export function checkAccounts(world: World, fail: Fail): void {
  for (const account of world.accounts.values()) {
    const asks = asksFor(world, account.id);
    if (asks.length > 1) fail("P6: two asks are open for one account");
    if (account.ask?.askId !== asks[0]?.askId)
      fail("P6: an account names another ask than is open");
    const names = account.waiting.map(({ sessionId, runId }) => `${sessionId}/${runId}`);
    const waiting = waitingFor(world, account.id);
    if (names.toSorted().join() !== waiting.toSorted().join()) {
      fail("P6: an account names other runs than wait for it");
    }
    if (waiting.length > 0 && asks.length === 0) fail("P6: a run waits and nobody is asked");
  }
}

/** The open asks for a higher limit of the account, in all lanes. */
export function asksFor(world: World, accountId: string): Ask[] {
  return world.lanes.flatMap(({ state }) => {
    const run = state === null ? null : activeRun(state);
    return run?.asks.filter((ask) => ask.accountId === accountId) ?? [];
  });
}

function waitingFor(world: World, accountId: string): string[] {
  return world.lanes.flatMap(({ sessionId, state }) => {
    const run = state === null ? null : activeRun(state);
    const waits = run?.waitsFor === accountId && run.condition.status === "running";
    return waits ? [`${sessionId}/${run.runId}`] : [];
  });
}

/**
 * Checks that a step starts, or a run fails because of its budget, only according to the remaining amounts of its
 * accounts.
 */
export function checkSteps(step: Step, fail: Fail): void {
  const { world, scenario, transaction } = step;
  for (const event of eventsOf(transaction)) {
    if (event.type === "step.opened") {
      const prompt = starterOf(transaction, event) ?? runningPrompt(world, event.sessionId);
      const above = accountsAbove({
        world,
        scenario,
        sessionId: event.sessionId,
        promptId: prompt,
      });
      const isSpent = above.some((id) => isAccountSpent(accountAfter(step, id)));
      if (isSpent) fail("P6: a step starts although an account above it is spent");
    }
    const ends = event.type === "run.ended" || event.type === "run.closing";
    if (!ends || event.outcome.reason !== "budget" || isClosing(world, event.sessionId)) continue;
    const promptId = runningPrompt(world, event.sessionId);
    const above = accountsAbove({ world, scenario, sessionId: event.sessionId, promptId });
    const spent = above.map((id) => accountAfter(step, id)).filter(isAccountSpent);
    if (!spent.some((account) => account?.onBudget === "fail")) {
      fail("P6: a run fails for its budget although no account above it is spent");
    }
  }
}

/** An answer is charged once to every account above it, and nothing else is charged. */
export function checkCharges(step: Step, fail: Fail): void {
  const { world, scenario, transaction } = step;
  const expected = new Map<string, number>();
  for (const event of eventsOf(transaction)) {
    if (event.type !== "step.answered") continue;
    const promptId = runningPrompt(world, event.sessionId);
    for (const id of accountsAbove({ world, scenario, sessionId: event.sessionId, promptId })) {
      expected.set(id, (expected.get(id) ?? 0) + event.usage.cost);
    }
  }
  for (const { id, spent } of transaction.accounts) {
    const charged = spent.cost - (world.accounts.get(id)?.spent.cost ?? 0);
    if (charged !== (expected.get(id) ?? 0)) fail("P6: an account is charged what was not used");
    expected.delete(id);
  }
  if ([...expected.values()].some((cost) => cost > 0)) {
    fail("P6: a step is not charged to an account above it");
  }
}

/** Checks that a person's answer lets every waiting run continue, even a run that was held after a crash (R1). */
export function checkAnswer(step: Step, fail: Fail): void {
  const { world, command, transaction } = step;
  if (command.type !== "ask.answer" || transaction.answer.status === "refused") return;
  const asked = laneOf(world, command.sessionId)?.state ?? null;
  const run = asked === null ? null : activeRun(asked);
  const ask = run?.asks.find(({ askId }) => askId === command.askId);
  const account = world.accounts.get(ask?.accountId ?? "");
  for (const { sessionId } of account?.waiting ?? []) {
    const state = stateAfter(step, sessionId);
    if (state?.holds.some((hold) => hold.kind === "recovery") === true) {
      fail("R1: a run that waited for the answer is kept after it");
    }
  }
}

function eventsOf({ writes }: Transaction): LaneEvent[] {
  return writes.flatMap((write) => [...write.events]);
}

/** The prompt whose run this transaction starts. */
function starterOf(transaction: Transaction, opened: LaneEvent): string | null {
  const started = eventsOf(transaction).find(
    (event) => event.type === "run.started" && event.sessionId === opened.sessionId,
  );
  return started?.type === "run.started" ? started.promptId : null;
}

function runningPrompt(world: World, sessionId: string): string | null {
  const state = laneOf(world, sessionId)?.state ?? null;
  return state === null ? null : (activeRun(state)?.startedBy ?? null);
}

function isClosing(world: World, sessionId: string): boolean {
  const state = laneOf(world, sessionId)?.state ?? null;
  return state !== null && activeRun(state)?.condition.status === "closing";
}

function stateAfter({ world, transaction }: Step, sessionId: string): LaneState | null {
  const write = transaction.writes.find(({ state }) => state?.sessionId === sessionId);
  return (write ?? laneOf(world, sessionId))?.state ?? null;
}

function accountAfter({ world, transaction }: Step, id: string): Account | undefined {
  return transaction.accounts.find((account) => account.id === id) ?? world.accounts.get(id);
}

function isAccountSpent(account: Account | undefined): boolean {
  const limit = account?.limit.cost ?? null;
  return account !== undefined && limit !== null && account.spent.cost >= limit;
}

/** The accounts of the budgets of a prompt and of all prompts that it descends from. */
function accountsAbove(target: {
  world: World;
  scenario: Scenario;
  sessionId: string;
  promptId: string | null;
}): string[] {
  const { world, scenario, sessionId, promptId } = target;
  if (promptId === null || scenario.prompts.every(({ budget }) => budget === null)) return [];
  const live = livePrompts(world, scenario).find(
    (prompt) => prompt.sessionId === sessionId && prompt.promptId === promptId,
  );
  const senders = live?.steps.map(({ sender }) => sender) ?? [];
  const line = [{ sessionId, promptId }, ...senders];
  const carriers = line.filter((each) => (kindOf(scenario, each)?.budget ?? null) !== null);
  return [...new Set(carriers.map((each) => `prompt:${each.sessionId}/${each.promptId}`))];
}

function kindOf(
  scenario: Scenario,
  prompt: { sessionId: string; promptId: string },
): PromptKind | undefined {
  return scenario.prompts.find(
    ({ letter, sessionId }) => sessionId === prompt.sessionId && prompt.promptId === `${letter}1`,
  );
}
