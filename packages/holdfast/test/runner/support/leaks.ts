import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextRound } from "node:timers/promises";
import { queryOnce } from "../../support/postgres.ts";

/** Resources that keep this process alive: timers, sockets and processes. */
export function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (watched.has(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/**
 * Resources that did not exist before. A request that was just cut off needs a moment to end, so this waits until
 * there are none.
 */
export async function leakedResources(
  before: Record<string, number>,
): Promise<Record<string, number>> {
  const end = performance.now() + 60_000;
  for (;;) {
    const more = Object.entries(resources()).filter(([kind, count]) => count > (before[kind] ?? 0));
    if (more.length === 0 || performance.now() > end) return Object.fromEntries(more);
    await nextRound();
  }
}

const watched = new Set(["Timeout", "TCPSocketWrap", "TCPServerWrap", "ProcessWrap"]);

/** Leases in a closed SQLite file that were not ended and have not expired. */
export function livingLeasesOfFile(file: string, now: number): string[] {
  const database = new DatabaseSync(file);
  try {
    const living = "SELECT node_id FROM nodes WHERE ended_at IS NULL AND expires_at > ?";
    const rows = database.prepare(living).all(now);
    return rows.map((row) => String(row["node_id"]));
  } finally {
    database.close();
  }
}

/** Same as above for a PostgreSQL database, and every other connection to it. */
export async function livingLeasesOfUrl(url: string, now: number): Promise<string[]> {
  const end = performance.now() + 60_000;
  for (;;) {
    const rows = await queryOnce<{ id: string }>(url, leasesAndConnections, [now]);
    // The server notices only after a moment that a client has gone.
    if (rows.length === 0 || performance.now() > end) return rows.map(({ id }) => id);
  }
}

const leasesAndConnections = `
  SELECT node_id AS id FROM holdfast.nodes WHERE ended_at IS NULL AND expires_at > $1
  UNION ALL
  SELECT 'connection of process ' || pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;
