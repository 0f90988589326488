import { accountId } from "../../../src/kernel/account.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";

/**
 * P6: checks that each run under a budget exceeds it by one step at most, and that none fails before the budget is
 * used up.
 */
export function checkBudgets(logs: ReadonlyMap<string, readonly LaneEvent[]>): string[] {
  const problems: string[] = [];
  const runs = [...logs].flatMap(([sessionId, log]) => runsOf(sessionId, log));
  for (const [sessionId, log] of logs) {
    for (const event of log) {
      const limit = event.type === "prompt.accepted" ? (event.budget?.tokens ?? null) : null;
      if (event.type !== "prompt.accepted" || limit === null) continue;
      const { promptId } = event;
      const below = runs.filter((run) => run.accounts.includes(accountId({ sessionId, promptId })));
      const used = sum(below.flatMap((run) => run.steps));
      const excess = sum(below.map((run) => Math.max(0, ...run.steps)));
      const name = `${used} of ${limit} tokens of ${sessionId}/${promptId}`;
      if (used > limit + excess) problems.push(`P6: ${name} are used`);
      if (used < limit && below.some((run) => run.reason === "budget")) {
        problems.push(`P6: a run fails for its budget with ${name} used`);
      }
    }
  }
  return problems;
}

interface RunBelow {
  readonly accounts: readonly string[];
  /** The tokens of each step. */
  readonly steps: readonly number[];
  readonly reason: string | null;
}

function runsOf(sessionId: string, log: readonly LaneEvent[]): RunBelow[] {
  const inherited = new Map<string, readonly string[]>();
  const runs: RunBelow[] = [];
  for (const event of log) {
    if (event.type === "prompt.accepted") inherited.set(event.promptId, event.accounts ?? []);
    if (event.type !== "run.started") continue;
    const { promptId, runId } = event;
    const steps = log.flatMap((each) =>
      each.type === "step.answered" && each.runId === runId
        ? [each.usage.inputTokens + each.usage.outputTokens]
        : [],
    );
    const end = log.find((each) => each.type === "run.ended" && each.runId === runId);
    const reason = end?.type === "run.ended" ? end.outcome.reason : null;
    const accounts = [accountId({ sessionId, promptId }), ...(inherited.get(promptId) ?? [])];
    runs.push({ accounts, steps, reason });
  }
  return runs;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
