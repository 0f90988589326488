import { waitFor } from "../support/wait-for.ts";
import { queryOnce } from "../support/postgres.ts";

/** Resolves when this many statements in the database wait for a lock. */
export async function untilWaiting(url: string, count: number): Promise<void> {
  const text = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await waitFor(async () => (await queryOnce(url, text)).length, {
    describe: `${count} statements that wait for a lock`,
    until: (waiting) => waiting >= count,
  });
}
