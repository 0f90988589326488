import assert from "node:assert/strict";
import { accountsOfRun } from "../../../src/kernel/account.ts";
import type { Account } from "../../../src/kernel/account.ts";
import type { Budget } from "../../../src/kernel/state.ts";
import type { Fields } from "./commands.ts";
import { createWorld, done } from "./world.ts";
import type { Session, World } from "./world.ts";

// Each step costs 2 and takes 10 tokens.
export const usage = { inputTokens: 6, outputTokens: 4, cost: 2 };
export const cost = (amount: number): Budget => ({ tokens: null, cost: amount });

export function takeStep(session: Session): void {
  done(session.boundary());
  done(session.answer([], { usage }));
}

/** A run of the parent session starts a child prompt, which starts a run of its own. */
export function startChild(
  parent: Session,
  name: string,
  fields: { background?: boolean; start?: Fields<"run.start"> } = {},
): (world: World) => Session {
  const { background = false, start = {} } = fields;
  return (world) => {
    const child = world.session(name);
    const create = { contentHash: "created", directory: "/project" };
    done(parent.link({ sessionId: name, promptId: `k-${name}` }, { create, background }));
    const { runId } = parent.run();
    const link = { sessionId: parent.sessionId, runId, background };
    const accounts = accountsOfRun(parent.state(), parent.run());
    done(child.accept(`k-${name}`, { parent: link, accounts }));
    done(child.start(`r-${name}`, start));
    return child;
  };
}

/** A parent with a budget, in its first step, with one open child. */
export function family(
  budget: Budget,
  onBudget: "fail" | "ask" = "fail",
): { world: World; child: Session } {
  const world = createWorld();
  done(world.accept("p1", { budget, onBudget }));
  done(world.start("r1"));
  done(world.boundary());
  done(world.answer(["call"]));
  done(world.startTool("call"));
  return { world, child: startChild(world, "child")(world) };
}

export function account(world: World, id: string): Account {
  const found = world.store.accounts.get(id);
  assert(found !== undefined, `account ${id} exists`);
  return found;
}

export function openAsk(session: Session): string {
  const ask = session.run().asks.find(({ accountId }) => accountId !== undefined);
  assert(ask !== undefined, "an ask for a higher limit is open");
  return ask.askId;
}

export const outcome = (session: Session, promptId: string): string => {
  const row = session.row(promptId);
  return row.outcome === null ? row.status : `${row.outcome.status}: ${row.outcome.reason}`;
};
