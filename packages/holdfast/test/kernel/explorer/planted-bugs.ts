import type { Account } from "../../../src/kernel/account.ts";
import { activeRun, noUsage } from "../../../src/kernel/state.ts";
import { execute } from "../../../src/kernel/transaction.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import type { Load, Loaded } from "../../../src/kernel/transaction.ts";
import type { Execute } from "./world.ts";

// Kernels with one deliberate bug each: the explorer must find it.

/** A session cancel covers everything, whatever its `upTo` says. */
export const forgetsTheMark: Execute = (batch, command) => {
  if (command.type !== "cancel" || command.scope.kind !== "session") {
    return execute(batch, command);
  }
  return execute(batch, { ...command, scope: { ...command.scope, upTo: null } });
};

/** A run whose owner has died cannot be taken over. */
export const neverTakesOver: Execute = function* (batch, command) {
  if (command.type !== "lane.takeover") return yield* execute(batch, command);
  return { status: "refused", refusal: { code: "owned", owner: "nobody", message: "never" } };
};

/** A former owner may still end the run. */
export const forgivesOldOwners: Execute = function* (batch, command) {
  const answer = yield* execute(batch, command);
  if (command.type !== "run.end" || answer.status === "done") return answer;
  const { sessionId } = command;
  const named = { promptId: null, cancelId: null, askId: null, workId: null };
  const load: Load = { sessionId, ownerId: null, ...named };
  const { state } = yield load;
  const run = state === null ? null : activeRun(state);
  if (state === null || run === null) return answer;
  const handle = { runId: run.runId, fence: state.fence, attempt: run.attempt };
  return yield* execute(batch, { ...command, handle });
};

/** Every steer is treated as if its sender had no limit. */
export const forgetsLimits: Execute = function* (batch, command) {
  const isSteer = command.type === "prompt.accept" && command.delivery === "steer";
  return yield* execute(batch, isSteer ? { ...command, directories: null } : command);
};

/** The state knows of an outcome that the log does not have. */
export const dropsOutcomes: Execute = function* (batch, command) {
  const answer = yield* execute(batch, command);
  for (const [sessionId, lane] of batch.lanes) {
    const events = lane.events.filter(({ type }) => type !== "prompt.settled");
    batch.lanes.set(sessionId, { ...lane, events });
  }
  return answer;
};

/** A cancel with tree stops at the direct children. */
export const stopsAtChildren: Execute = (batch, command) =>
  command.type === "cancel"
    ? withStates(execute(batch, command), ({ state }) => {
        if (state === null || state.sessionId === command.sessionId) return state;
        return { ...state, background: [] };
      })
    : execute(batch, command);

/** A cancel with tree does not pass through a child that has settled. */
export const forgetsBranches: Execute = (batch, command) =>
  command.type === "cancel"
    ? withStates(execute(batch, command), ({ state }) =>
        state === null ? null : { ...state, branches: [] },
      )
    : execute(batch, command);

/** A covered child that ends for another reason starts a run of its parent. */
export const forgetsUnwanted: Execute = (batch, command) =>
  withStates(execute(batch, command), ({ state }) => {
    const run = state === null ? null : activeRun(state);
    if (state === null || run === null) return state;
    const prompts = run.prompts.map((prompt) => ({ ...prompt, unwanted: false }));
    return { ...state, active: { ...run, prompts } };
  });

/** A result does not belong to the tree of the child that it came from. */
export const forgetsOrigins: Execute = (batch, command) =>
  withStates(execute(batch, command), ({ state }) => {
    if (state === null) return null;
    const queue = state.queue.map((item) => ("origin" in item ? { ...item, origin: null } : item));
    return { ...state, queue };
  });

/** A background child does not inherit the accounts above it. */
export const forgetsAccounts: Execute = (batch, command) =>
  command.type === "prompt.accept" && command.parent?.background === true
    ? execute(batch, { ...command, accounts: [] })
    : execute(batch, command);

/** A step opens even if the budget is used up. */
export const forgetsSpending: Execute = (batch, command) =>
  command.type === "run.boundary"
    ? withAccounts(execute(batch, command), (account) => ({ ...account, spent: noUsage }))
    : execute(batch, command);

/** Each run that reaches the limit opens its own ask. */
export const asksForEach: Execute = (batch, command) =>
  command.type === "run.boundary"
    ? withAccounts(execute(batch, command), (account) => ({ ...account, ask: null }))
    : execute(batch, command);

/** An answer lets only the asking run continue. */
export const wakesOnlyTheAsker: Execute = (batch, command) =>
  command.type === "ask.answer"
    ? withAccounts(execute(batch, command), (account) => ({
        ...account,
        waiting: account.waiting.filter(({ sessionId }) => sessionId === account.ask?.sessionId),
      }))
    : execute(batch, command);

/** The ask of a stopping run is not passed on to another run. */
export const dropsAsks: Execute = (batch, command) =>
  command.type === "cancel"
    ? withAccounts(execute(batch, command), (account) => ({ ...account, waiting: [] }))
    : execute(batch, command);

function* withAccounts(
  steps: ReturnType<Execute>,
  change: (account: Account) => Account,
): ReturnType<Execute> {
  let next = steps.next();
  while (next.done !== true) {
    const loaded: Loaded = yield next.value;
    const { accounts } = loaded;
    next = steps.next(
      accounts === undefined ? loaded : { ...loaded, accounts: accounts.map(change) },
    );
  }
  return next.value;
}

function* withStates(
  steps: ReturnType<Execute>,
  change: (loaded: Loaded) => LaneState | null,
): ReturnType<Execute> {
  let next = steps.next();
  while (next.done !== true) {
    const loaded: Loaded = yield next.value;
    next = steps.next({ ...loaded, state: change(loaded) });
  }
  return next.value;
}
