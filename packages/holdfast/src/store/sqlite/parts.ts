import { sleep } from "../../base/time.ts";
import type { Body } from "../store.ts";
import { prepareBodyInParts } from "./bodies.ts";
import type { Connection } from "./connection.ts";
import { storeErrorOf } from "./errors.ts";
import type { LockWait } from "./lock-wait.ts";
import { text } from "./row.ts";

/**
 * Stores large content. SQLite writes synchronously: one write of 60 MB would block the event loop for a second, and
 * leases could expire. Large content is therefore written in parts beforehand, with pauses for other work.
 */
export interface Parts {
  /**
   * Stores large content in parts, then calls `work`, which stores the rows. For content that is stored in parts,
   * `work` gets empty content; otherwise it gets the content itself. Afterwards, parts that no row refers to are
   * deleted.
   */
  with<Result>(
    bodies: readonly Body[],
    work: (bodies: readonly Body[]) => Promise<Result>,
  ): Promise<Result>;
  /** Deletes the parts of the content with this hash, unless a row refers to them or a call of `with` uses them. */
  tidy(hash: string): void;
  /** Resolves when all calls of `with` have ended. */
  idle(): Promise<void>;
}

/** Maximum bytes of content that is written in one piece. Larger content is split into parts. */
const largestWhole = 256 * 1024;
/** Bytes written between two checkpoints of the write-ahead log, because one large checkpoint would take too long. */
const checkpointEvery = 2 * 1024 * 1024;

export function openParts(
  { database, file }: Pick<Connection, "database" | "file">,
  lockWait: LockWait,
): Parts {
  const insert = database.prepare(
    "INSERT OR IGNORE INTO parts (hash, part, content) VALUES (?, ?, ?)",
  );
  const remove = database.prepare("DELETE FROM parts WHERE hash = ?");
  const inUpload = database.prepare("SELECT 1 FROM uploads WHERE hash = ? AND length(content) = 0");
  const inBody = prepareBodyInParts(database);
  /** Hashes of content that a call of `with` is using, with the number of such calls. */
  const active = new Map<string, { users: number; readonly written: Promise<void> }>();
  const transaction = {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  };
  let unchecked = 0;

  const isReferred = (hash: string): boolean => inBody(hash) || inUpload.get(hash) !== undefined;
  const writeParts = (parts: readonly Part[]): void => {
    transaction.begin.run();
    try {
      for (const { hash, part, content } of parts) insert.run(hash, part, content);
      transaction.commit.run();
    } catch (error) {
      if (database.isTransaction) transaction.rollback.run();
      throw error;
    }
  };
  const write = async (bodies: readonly Body[]): Promise<void> => {
    const missing = bodies.filter(({ hash }) => !isReferred(hash));
    for (const parts of groupsOf(missing)) {
      const startedAt = performance.now();
      await lockWait(() => writeParts(parts));
      unchecked += largestWhole;
      if (unchecked >= checkpointEvery) {
        unchecked = 0;
        database.exec("PRAGMA wal_checkpoint(PASSIVE)");
      }
      // Pause for as long as the write took, so that other work can run.
      await sleep(performance.now() - startedAt);
    }
  };
  const tidy = (hash: string): void => {
    if (!active.has(hash) && !isReferred(hash)) remove.run(hash);
  };
  for (const row of database.prepare("SELECT DISTINCT hash FROM parts").all()) {
    // Delete stored parts whose writer ended before it wrote the row that refers to them.
    tidy(text(row, "hash"));
  }
  const working = new Set<Promise<unknown>>();
  const withParts = async <Result>(
    bodies: readonly Body[],
    work: (bodies: readonly Body[]) => Promise<Result>,
  ): Promise<Result> => {
    const writing = Promise.withResolvers<void>();
    // Ignore a rejection here: every call that waits for this content receives the error itself.
    writing.promise.catch(() => {});
    const own: Body[] = [];
    const others: Promise<void>[] = [];
    for (const body of bodies) {
      const known = active.get(body.hash);
      if (known === undefined) {
        active.set(body.hash, { users: 1, written: writing.promise });
        own.push(body);
      } else {
        known.users += 1;
        others.push(known.written);
      }
    }
    try {
      await write(own).then(writing.resolve, (error: unknown) => {
        writing.reject(storeErrorOf(error, file));
      });
      await Promise.all([writing.promise, ...others]);
      return await work(bodies.map(({ hash }) => ({ hash, content: empty })));
    } finally {
      for (const { hash } of bodies) release(active, hash);
      try {
        for (const { hash } of bodies) tidy(hash);
      } catch {
        // The result of `work` counts. The next start deletes the parts.
      }
    }
  };
  return {
    tidy,
    with: (bodies, work) => {
      if (!areLarge(bodies)) return work(bodies);
      const done = withParts(bodies, work);
      // The caller handles the failure; `idle` only waits for the end.
      const settled: Promise<unknown> = done.catch(() => {}).finally(() => working.delete(settled));
      working.add(settled);
      return done;
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working);
    },
  };
}

/** True if the contents together are so large that they must be written in parts. */
export function areLarge(bodies: readonly Body[]): boolean {
  let sum = 0;
  // Content may come from disk, so stop reading at the limit.
  return bodies.some(({ content }) => (sum += content.byteLength) > largestWhole);
}

interface Part extends Body {
  readonly part: number;
}

/** Splits contents into groups of parts; each group is written in one transaction. */
function* groupsOf(bodies: readonly Body[]): Generator<readonly Part[]> {
  let group: Part[] = [];
  let length = 0;
  for (const { hash, content } of bodies) {
    for (let start = 0; start < content.byteLength; start += largestWhole) {
      const piece = content.subarray(start, start + largestWhole);
      if (length + piece.byteLength > largestWhole) {
        yield group;
        group = [];
        length = 0;
      }
      group.push({ hash, part: start / largestWhole, content: piece });
      length += piece.byteLength;
    }
  }
  if (group.length > 0) yield group;
}

const empty = new Uint8Array();

function release(active: Map<string, { users: number }>, hash: string): void {
  const entry = active.get(hash);
  if (entry === undefined) return;
  entry.users -= 1;
  if (entry.users === 0) active.delete(hash);
}
