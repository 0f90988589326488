import { inheritedAccounts } from "../../../src/kernel/account.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { Action } from "./action.ts";
import { checkTransition } from "./check-transition.ts";
import type { Fail } from "./check-event.ts";
import type { Scenario } from "./scenario.ts";
import { commit, laneOf, transact } from "./world.ts";
import type { Execute, Transaction, World } from "./world.ts";

/** Performs an action and checks it. Null if the action changes nothing. */
export function perform(
  world: World,
  action: Action,
  context: { scenario: Scenario; execute: Execute; fail: Fail },
): World | null {
  const { happens } = action;
  switch (happens.kind) {
    case "crash": {
      const lanes = world.lanes.map((lane) =>
        lane.sessionId === happens.sessionId
          ? { ...lane, node: lane.node + 1, lostAt: world.now }
          : lane,
      );
      return spent({ ...world, lanes }, action);
    }
    case "time":
      return spent({ ...world, now: happens.now }, action);
    case "command": {
      const { command } = happens;
      const transaction = transact(world, command, context.execute);
      const { scenario, fail } = context;
      const covered = checkTransition({ world, scenario, command, transaction }, fail);
      if (transaction.writes.every(({ events }) => events.length === 0)) return null;
      const next = commit(world, transaction.writes, transaction.accounts);
      return after({ ...next, ...covered }, { action, transaction });
    }
  }
}

function after(world: World, step: { action: Action; transaction: Transaction }): World {
  const { action } = step;
  const next = spent(world, action);
  if (action.happens.kind !== "command") return next;
  const { command, promptKind } = action.happens;
  if (promptKind !== null) {
    const unsent = next.unsent.map((count, index) => (index === promptKind ? count - 1 : count));
    return { ...next, unsent };
  }
  if (command.type === "child.link") {
    const { childPromptId, handle } = command;
    const { linkedBy, inherited } = next;
    const above = accountsBelow(next, command.sessionId);
    return {
      ...next,
      linkedBy: { ...linkedBy, [childPromptId]: handle.runId },
      inherited: { ...inherited, [childPromptId]: above },
    };
  }
  if (command.type !== "prompt.move" && command.type !== "prompt.promote") return next;
  return next.moved ? next : { ...next, moved: true };
}

/** The accounts that a child of the session's run inherits, as a runner passes them on. */
function accountsBelow(world: World, sessionId: string): readonly string[] {
  const state = laneOf(world, sessionId)?.state ?? null;
  const run = state === null ? null : activeRun(state);
  return state === null || run === null ? [] : inheritedAccounts(state, run);
}

function spent(world: World, action: Action): World {
  const { spends } = action;
  if (spends === null) return world;
  return { ...world, left: { ...world.left, [spends]: world.left[spends] - 1 } };
}
