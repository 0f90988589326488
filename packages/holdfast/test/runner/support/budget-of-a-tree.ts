import assert from "node:assert/strict";
import { accountId } from "../../../src/kernel/account.ts";
import { readLog } from "../../store/lane-client.ts";
import { allSessions } from "../../store/audit.ts";
import type { Manner } from "./spender.ts";
import { errandText } from "./spender.ts";
import type { Place } from "./place.ts";

const budget = 27;

/**
 * Starts a tree with 27 runs at the bottom, each of which would spend 100 times its share of the budget. Checks that
 * each run exceeds the budget by one step at most, and that all runs end.
 */
export async function budgetOfATree(place: Place, manner: Manner): Promise<void> {
  const errand = { depth: 3, width: 3, manner, steps: 100 } as const;
  await place.prompt("root", { text: errandText(errand), budget: { tokens: null, cost: budget } });
  await place.outcome("root");
  const { store } = place.first.holdfast;
  const names = ["main"];
  for (let level = 0; level < 3; level += 1) {
    const below = names.filter((name) => name.split(".").length === level + 1);
    names.push(...below.flatMap((name) => [0, 1, 2].map((number) => `${name}.${number}`)));
  }
  let spent = 0;
  let failed = 0;
  let active = 0;
  for (const name of names.slice(1)) {
    // A run is missing if its parent failed before it sent the run's prompt.
    if ((await store.prompt(name, `job-${name}`)) === null) continue;
    await place.outcome(`job-${name}`, name);
  }
  for (const name of await allSessions(store)) {
    const log = await readLog(store, name);
    const steps = log.filter((event) => event.type === "step.answered");
    const cost = steps.reduce((sum, { usage }) => sum + usage.cost, 0);
    spent += cost;
    if (cost > 0) active += 1;
    failed += log.filter(
      (event) => event.type === "prompt.settled" && event.outcome.reason === "budget",
    ).length;
  }
  const [account] = await store.accounts([accountId({ sessionId: "main", promptId: "root" })]);
  assert.equal(account?.spent.cost, spent, "every step was charged");
  assert(spent >= budget, `the budget is used: ${spent}`);
  assert(spent <= budget + active, `${spent} of ${budget} spent by ${active} runs`);
  assert(active > 1 && failed >= active, `${failed} of ${active} spending runs failed`);
}
