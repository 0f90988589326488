import { setTimeout } from "node:timers/promises";
import type { Body } from "../store.ts";
import { prepareBodyInParts } from "./bodies.ts";
import type { Connection } from "./connection.ts";
import { storeErrorOf } from "./errors.ts";
import { text } from "./row.ts";

/**
 * Large contents. SQLite writes on the event loop, and 60 MB at once would block it for a second, so
 * that leases run out: a large content is written in parts beforehand, with pauses for everything else.
 */
export interface Parts {
  /**
   * Writes the large contents among these in parts, and does the work with what is left to write. The
   * work makes rows that refer to the parts; parts that no row refers to afterwards are removed.
   */
  with<Result>(
    bodies: readonly Body[],
    work: (bodies: readonly Body[]) => Promise<Result>,
  ): Promise<Result>;
  /** Removes the parts of a content if no row refers to them any more. */
  tidy(hash: string): void;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

/** The longest content that is written at once. */
export const largestWhole = 256 * 1024;
/** Bytes after which the log of writes is copied into the database: all at once would take long. */
const checkpointEvery = 2 * 1024 * 1024;

export function openParts({ database, file }: Pick<Connection, "database" | "file">): Parts {
  const insert = database.prepare(
    "INSERT OR IGNORE INTO parts (hash, part, content) VALUES (?, ?, ?)",
  );
  const remove = database.prepare("DELETE FROM parts WHERE hash = ?");
  const inUpload = database.prepare("SELECT 1 FROM uploads WHERE hash = ? AND length(content) = 0");
  const inBody = prepareBodyInParts(database);
  /** Contents that are being written or about to be referred to, with the number of their users. */
  const active = new Map<string, { users: number; readonly written: Promise<void> }>();
  let unchecked = 0;

  const isReferred = (hash: string): boolean => inBody(hash) || inUpload.get(hash) !== undefined;
  const write = async ({ hash, content }: Body): Promise<void> => {
    if (isReferred(hash)) return;
    try {
      await writeParts({ hash, content });
    } catch (error) {
      throw storeErrorOf(error, file);
    }
  };
  const writeParts = async ({ hash, content }: Body): Promise<void> => {
    for (let start = 0; start < content.byteLength; start += largestWhole) {
      const startedAt = performance.now();
      insert.run(hash, start / largestWhole, content.subarray(start, start + largestWhole));
      unchecked += largestWhole;
      if (unchecked >= checkpointEvery) {
        unchecked = 0;
        database.exec("PRAGMA wal_checkpoint(PASSIVE)");
      }
      // As long for the others as it took.
      await setTimeout(performance.now() - startedAt);
    }
  };
  const tidy = (hash: string): void => {
    if (!active.has(hash) && !isReferred(hash)) remove.run(hash);
  };
  for (const row of database.prepare("SELECT DISTINCT hash FROM parts").all()) {
    // Left by a process that ended before it referred to them.
    tidy(text(row, "hash"));
  }
  const working = new Set<Promise<unknown>>();
  const withParts = async <Result>(
    bodies: readonly Body[],
    work: (bodies: readonly Body[]) => Promise<Result>,
  ): Promise<Result> => {
    const taken: string[] = [];
    try {
      for (const body of bodies.filter(isLarge)) {
        const entry = active.get(body.hash) ?? { users: 0, written: write(body) };
        entry.users += 1;
        active.set(body.hash, entry);
        taken.push(body.hash);
        await entry.written;
      }
      return await work(bodies.map((body) => (isLarge(body) ? { ...body, content: empty } : body)));
    } finally {
      for (const hash of taken) release(active, hash);
      for (const hash of taken) tidy(hash);
    }
  };
  return {
    tidy,
    with: (bodies, work) => {
      if (!bodies.some(isLarge)) return work(bodies);
      const done = withParts(bodies, work);
      const settled: Promise<unknown> = done.catch(() => {}).finally(() => working.delete(settled));
      working.add(settled);
      return done;
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working);
    },
  };
}

export function isLarge({ content }: Pick<Body, "content">): boolean {
  return content.byteLength > largestWhole;
}

const empty = new Uint8Array();

function release(active: Map<string, { users: number }>, hash: string): void {
  const entry = active.get(hash);
  if (entry === undefined) return;
  entry.users -= 1;
  if (entry.users === 0) active.delete(hash);
}
