import { randomUUID } from "node:crypto";
import { changesOfAccounts, loadedAccounts, openBatch } from "../../kernel/transaction.ts";
import type { Load, Loaded } from "../../kernel/transaction.ts";
import { readAccounts } from "./accounts.ts";
import { committedLanes } from "./attempt.ts";
import type { Attempt, Context } from "./attempt.ts";
import { inDoubt } from "./doubt.ts";
import { isKnownPrompt, isUniqueViolation } from "./errors.ts";
import { bodiesOf, covers, decideGroup, loadedFrom, namesNothing, namesOf } from "./group.ts";
import type { Group } from "./group.ts";
import { noRows, readLane, storable } from "./lane-read.ts";
import type { LaneRows } from "./lane-read.ts";
import { hasWrites } from "./lane-write.ts";

/**
 * Executes the commands on the cached state of the lane and commits the result in one statement, which writes nothing
 * if the lane has changed. Only for commands that depend on neither time nor a lease.
 */
export async function writeOptimistic(
  context: Context,
  group: Group,
  { mayGuess }: { mayGuess: boolean },
): Promise<Attempt> {
  const { sessionId } = group;
  const { database, clock, cache, states } = context;
  const names = namesOf(group);
  const mayBeNew = mayGuess && isGuessable(group);
  const needsState = mayBeNew || (mayGuess && namesNothing(names));
  const cached = cache.get(sessionId);
  const known = needsState ? (cached ?? (await states.row(storable(sessionId)))) : cached;
  const isRead = known === null || !needsState;
  let rows: LaneRows;
  let at: number;
  if (isRead) {
    const sentAt = performance.now();
    rows = await readLane(database, { sessionId, names, known });
    at = clock.observe(rows.now, sentAt);
  } else {
    at = await clock.now(database);
    rows = { ...noRows, now: at, state: known };
  }
  const batch = openBatch();
  const load = async (wanted: Load): Promise<Loaded> => {
    if ("accountIds" in wanted)
      return loadedAccounts(await readAccounts(database, wanted.accountIds));
    if (wanted.sessionId === sessionId && covers(names, wanted) && wanted.ownerId === null) {
      return loadedFrom(rows, wanted);
    }
    throw new NeedsLock();
  };
  let outcomes;
  try {
    outcomes = await decideGroup(group, { batch, at, load });
  } catch (error) {
    if (error instanceof NeedsLock) return { status: "needsLock" };
    throw error;
  }

  if (changesOfAccounts(batch).length > 0) return { status: "needsLock" };
  const lane = batch.lanes.get(sessionId);
  if (lane === undefined || !hasWrites(lane)) {
    if (isRead) return { status: "written", outcomes, lanes: [] };
    // The answer came only from the cache and may be stale, so decide again on stored data.
    cache.drop(sessionId);
    return { status: "unread" };
  }
  const commitId = randomUUID();
  try {
    const bodies = bodiesOf(group, outcomes);
    const isWritten = await context.commits.write({ sessionId, lane, bodies, commitId });
    if (!isWritten) return { status: "conflict" };
  } catch (error) {
    if (isUniqueViolation(error, ["cancels_pkey"])) return { status: "conflict" };
    if (!isRead && isKnownPrompt(error)) {
      cache.drop(sessionId);
      return { status: "unread" };
    }
    throw inDoubt(error, { commitId, batch, outcomes });
  }
  return { status: "written", outcomes, lanes: committedLanes(batch) };
}

/**
 * True if the commands' prompts can be assumed to be new. If one is not, the unique constraint on its id rejects the
 * commit, and the command is decided again on stored data.
 */
function isGuessable(group: Group): boolean {
  return group.requests.every(({ command }) => command.type === "prompt.accept");
}

/**
 * Thrown if a command needs data that was not read, such as another session. The caller then locks the rows and decides
 * the command again.
 */
class NeedsLock extends Error {}
