import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { changesOfAccounts, loadedAccounts, openBatch } from "../../kernel/transaction.ts";
import type { Batch, LaneLoad, Load, Loaded } from "../../kernel/transaction.ts";
import { readVersions, writeAccount } from "./accounts.ts";
import { committedLanes } from "./attempt.ts";
import type { Attempt, Context } from "./attempt.ts";
import type { Queryable } from "./connection.ts";
import { inDoubt } from "./doubt.ts";
import type { Doubt, Happened } from "./doubt.ts";
import { isConnectionLost } from "./errors.ts";
import { bodiesOf, covers, decideGroup, loadedFrom, namesOf } from "./group.ts";
import type { Group } from "./group.ts";
import { lockLane, readLane, readLease } from "./lane-read.ts";
import type { LaneRows } from "./lane-read.ts";
import { hasWrites, writeLane } from "./lane-write.ts";

/**
 * Decides and writes requests while the rows of their sessions are locked, using the database's clock. First checks
 * whether an earlier attempt was committed although its connection broke: the lock guarantees that the earlier attempt
 * has ended. If so, returns the result of that commit.
 */
export async function writeLocked(
  context: Context,
  write: { group: Group; doubts: readonly Doubt[] },
): Promise<Attempt> {
  return context.database.withClient(async (client) => {
    await client.query("BEGIN");
    const { attempt, commit } = await rollingBack(client, async () => {
      const happened = await findCommit(client, write.doubts);
      if (happened !== null) {
        return { attempt: { status: "written", ...happened } as const, commit: null };
      }
      return decideLocked(context, { client, group: write.group });
    });
    if (commit === null) {
      await client.query("ROLLBACK");
      return attempt;
    }
    try {
      await client.query("COMMIT");
    } catch (error) {
      throw inDoubt(error, commit);
    }
    return attempt;
  });
}

interface Commit {
  readonly commitId: string;
  readonly batch: Batch;
  readonly outcomes: Happened["outcomes"];
}

async function decideLocked(
  context: Context,
  write: { client: PoolClient; group: Group },
): Promise<{ attempt: Attempt; commit: Commit | null }> {
  const { client, group } = write;
  const names = namesOf(group);
  const { sessionId } = group;
  await lockLane(client, sessionId);
  const sentAt = performance.now();
  const rows = await lockedRows(client, { sessionId, names });
  const at = context.clock.observe(rows.now, sentAt);
  const versions = new Map<string, number>();
  const load = async (wanted: Load): Promise<Loaded> => {
    if ("accountIds" in wanted) {
      const found = await readVersions(client, wanted.accountIds);
      for (const { account, version } of found) versions.set(account.id, version);
      return loadedAccounts(found.map(({ account }) => account));
    }
    if (wanted.ownerId !== null) {
      return { ...loadedFrom(rows, wanted), owner: await readLease(client, wanted.ownerId) };
    }
    if (wanted.sessionId === sessionId && covers(names, wanted)) return loadedFrom(rows, wanted);
    return wanted.peek === true ? loadRows(client, wanted) : loadLocked(client, wanted);
  };
  const batch = openBatch();
  const outcomes = await decideGroup(group, { batch, at, load });

  const commitId = randomUUID();
  const bodies = bodiesOf(group, outcomes);
  let isChanged = false;
  for (const [id, lane] of batch.lanes) {
    if (!hasWrites(lane)) continue;
    isChanged = true;
    const own = id === sessionId ? bodies : [];
    // A locked lane cannot change. A missing lane cannot be locked, so another process may have created it.
    if (!(await writeLane(client, { sessionId: id, lane, bodies: own, commitId }))) {
      return { attempt: { status: "conflict" }, commit: null };
    }
  }
  // Account rows are locked last and briefly, because all lanes under a budget write the same row.
  for (const change of changesOfAccounts(batch)) {
    const version = versions.get(change.account.id) ?? null;
    if (!(await writeAccount(client, { change, version }))) {
      return { attempt: { status: "conflict" }, commit: null };
    }
  }
  const attempt: Attempt = { status: "written", outcomes, lanes: committedLanes(batch) };
  return { attempt, commit: isChanged ? { commitId, batch, outcomes } : null };
}

async function loadLocked(client: Queryable, load: LaneLoad): Promise<Loaded> {
  await lockLane(client, load.sessionId);
  return loadRows(client, load);
}

async function loadRows(client: Queryable, load: LaneLoad): Promise<Loaded> {
  const { sessionId } = load;
  const names = {
    promptIds: load.promptId === null ? [] : [load.promptId],
    cancelIds: load.cancelId === null ? [] : [load.cancelId],
    askIds: load.askId === null ? [] : [load.askId],
    workIds: load.workId === null ? [] : [load.workId],
  };
  return loadedFrom(await lockedRows(client, { sessionId, names }), load);
}

async function lockedRows(
  client: Queryable,
  read: { sessionId: string; names: ReturnType<typeof namesOf> },
): Promise<LaneRows> {
  const rows = await readLane(client, { ...read, known: null });
  const ownerId = rows.state?.active?.owner ?? null;
  return ownerId === null ? rows : { ...rows, owner: await readLease(client, ownerId) };
}

/**
 * After the answers to several commits were lost, finds the commit that the database has stored. There is at most one:
 * all these commits were based on the same version of the lane.
 */
async function findCommit(client: Queryable, doubts: readonly Doubt[]): Promise<Happened | null> {
  for (const { sessionId, find } of doubts) {
    await lockLane(client, sessionId);
    const happened = await find(client);
    if (happened !== null) return happened;
  }
  return null;
}

async function rollingBack<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // If the connection is lost, the server rolls back by itself.
    if (!isConnectionLost(error)) await client.query("ROLLBACK");
    throw error;
  }
}
