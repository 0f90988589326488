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
 * Decides on the lane as it was last seen and commits in one statement, which writes nothing when
 * the lane has moved on. Only for commands in which neither time nor a lease decides.
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
    // What was answered from memory alone may be out of date: it is decided again on what is stored.
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
 * A prompt that is sent is new, as a rule: it is taken to be, and if it is not, the constraint on its
 * id refuses the commit, and it is decided again on what is stored.
 */
function isGuessable(group: Group): boolean {
  return group.requests.every(({ command }) => command.type === "prompt.accept");
}

/** The command reaches beyond what was read: it is decided again, with the rows locked. */
class NeedsLock extends Error {}
