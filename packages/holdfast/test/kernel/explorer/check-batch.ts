import type { Command } from "../../../src/kernel/command.ts";
import type { Action } from "./action.ts";
import { actionsOf } from "./actions.ts";
import { equal } from "./equal.ts";
import { repetitions } from "./probe.ts";
import type { Scenario } from "./scenario.ts";
import { client, commit, transact, transactAll } from "./world.ts";
import type { Execute, World } from "./world.ts";

/** Two commands in one batch must have the same effect as one after the other. */
export function checkBatches(
  step: { world: World; action: Action; reached: World; scenario: Scenario; execute: Execute },
  fail: (problem: string, second: Command) => void,
): void {
  const { world, action, reached, scenario, execute } = step;
  if (action.happens.kind !== "command") return;
  const first = action.happens.command;
  const alone = transact(world, first, execute);
  const between = commit(world, alone.writes, alone.accounts);
  for (const second of secondsOf(reached, scenario)) {
    const separate = transact(between, second, execute);
    const together = transactAll(world, [first, second], execute);
    if (!equal(together.answers, [alone.answer, separate.answer])) {
      fail("P3: a batch answers differently from one command after the other", second);
    }
    const after = commit(world, together.writes, together.accounts);
    const apart = commit(between, separate.writes, separate.accounts);
    if (!equal(stored(after), stored(apart))) {
      fail("T2: a batch writes different events from one command after the other", second);
    }
  }
}

/** All possible next commands, including repetitions by clients. */
function secondsOf(world: World, scenario: Scenario): Command[] {
  const next = actionsOf(world, scenario).flatMap(({ happens }) =>
    happens.kind === "command" ? [happens.command] : [],
  );
  const again = world.lanes.flatMap((lane) =>
    repetitions(lane).map((data) => ({
      sessionId: lane.sessionId,
      actor: client,
      at: world.now,
      ...data,
    })),
  );
  return [...next, ...again];
}

function stored({ lanes, accounts }: World): unknown {
  const kept = lanes.map(({ state, prompts, asks, works, receipts }) => [
    state,
    [...prompts],
    [...asks],
    [...works],
    [...receipts],
  ]);
  return [kept, [...accounts]];
}
