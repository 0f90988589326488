import { queryOnce } from "../support/postgres.ts";

/** Until so many statements in the database wait for a lock. */
export async function untilWaiting(url: string, count: number): Promise<void> {
  const text = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await queryOnce(url, text)).length < count);
}
