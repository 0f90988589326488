import type { LaneEvent } from "../../kernel/event.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { logOf } from "../../log/session-log.ts";
import { bodiesNamedIn } from "../../log/bodies.ts";
import { bodiesNamedBy } from "../../kernel/event-table.ts";
import type { NamedBody } from "../../kernel/event-table.ts";

/** Stored content of deleted sessions that no other session refers to. */
export interface Forgotten {
  /** Size of each piece of content, by its hash. */
  readonly bytes: ReadonlyMap<string, number>;
  /** Feed cursor at the end of the feed, read before the search began. */
  readonly since: string;
}

/**
 * Finds stored content that only deleted sessions refer to. Reads every log, but keeps only hashes and sizes in memory.
 */
export async function findForgotten(reader: StoreReader): Promise<Forgotten> {
  const since = await reader.feedEnd();
  const bytes = new Map<string, number>();
  const deleted = await deletedSessions(reader);
  for (const sessionId of deleted) {
    for await (const event of logOf(reader, sessionId)) {
      for (const { hash, size } of await namedAtAnyDepth(reader, event)) bytes.set(hash, size);
    }
  }
  if (bytes.size === 0) return { bytes, since };
  for await (const sessionId of allSessions(reader)) {
    if (!deleted.has(sessionId)) await spare(reader, bytes, logOf(reader, sessionId));
  }
  return { bytes, since };
}

/**
 * Deletes the found content and returns the deleted pieces. Keeps content that newer commits refer to. If new commits
 * arrive during every attempt, deletes nothing.
 */
export async function removeForgotten(store: Store, found: Forgotten): Promise<Forgotten["bytes"]> {
  const bytes = new Map(found.bytes);
  let { since } = found;
  for (let tries = 0; tries < maxTries && bytes.size > 0;) {
    if (await store.removeBodies({ hashes: [...bytes.keys()], since })) return bytes;
    const page = await store.feed({ after: since, limit: pageSize });
    if (page.status === "reset") break;
    await spare(store, bytes, page.events);
    since = page.cursor;
    if (!page.more) tries += 1;
  }
  return new Map();
}

const pageSize = 500;
const maxTries = 20;

async function spare(
  reader: StoreReader,
  bytes: Map<string, number>,
  events: AsyncIterable<LaneEvent> | Iterable<LaneEvent>,
): Promise<void> {
  for await (const event of events) {
    for (const { hash } of await namedAtAnyDepth(reader, event)) bytes.delete(hash);
  }
}

/** Lists all stored content that an event refers to, directly or through other content, with its size. */
async function namedAtAnyDepth(
  reader: StoreReader,
  event: LaneEvent,
): Promise<{ hash: string; size: number }[]> {
  const found: { hash: string; size: number }[] = [];
  const waiting: NamedBody[] = [...bodiesNamedBy(event)];
  for (let named = waiting.pop(); named !== undefined; named = waiting.pop()) {
    const content = await reader.body(named.hash);
    if (content === null) continue;
    found.push({ hash: named.hash, size: content.length });
    waiting.push(...bodiesNamedIn(named, content));
  }
  return found;
}

async function deletedSessions(reader: StoreReader): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after: string | null = null; ;) {
    const page = await reader.listSessions({ deleted: true, limit: pageSize, after });
    for (const { state } of page.sessions) found.add(state.sessionId);
    if (page.cursor === null) return found;
    after = page.cursor;
  }
}

async function* allSessions(reader: StoreReader): AsyncGenerator<string> {
  for (let after: string | null = null; ;) {
    const page: readonly string[] = await reader.sessions({ after, limit: pageSize });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < pageSize) return;
  }
}
