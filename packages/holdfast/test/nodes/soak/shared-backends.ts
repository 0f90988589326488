import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../../cli/test-cli.ts";
import { startPgBouncer } from "../../support/pgbouncer.ts";
import { queryOnce, startPostgres } from "../../support/postgres.ts";
import { program } from "../../support/program.ts";

/**
 * Starts a server behind PgBouncer in transaction mode and in statement mode. Returns what is wrong: each must be
 * refused with the reason, without a lock or a table in the database.
 */
export async function checkSharedBackends(): Promise<readonly string[]> {
  const database = await startPostgres();
  const problems: string[] = [];
  try {
    for (const mode of ["transaction", "statement"] as const) {
      const pooler = await startPgBouncer({ target: database.port, mode });
      const url = await database.createDatabase();
      const store = url.replace(`:${database.port}/`, `:${pooler.port}/`);
      const { end, err } = await serveOn(store);
      if (end !== 1 || !err.includes("pool_mode = session")) {
        problems.push(`${mode} mode was not refused (${end}): ${err.slice(-500)}`);
      }
      // The backends of PgBouncer still exist, and so would a lock that was not released.
      const [left] = await queryOnce<{ locks: number; schemas: number }>(
        url,
        `SELECT (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
          (SELECT count(*)::int FROM pg_namespace WHERE nspname = 'holdfast') AS schemas`,
      );
      if (left?.locks !== 0 || left.schemas !== 0) {
        problems.push(`${mode} mode left ${left?.locks} locks and ${left?.schemas} schemas`);
      }
      await pooler.stop();
    }
  } finally {
    await database.stop();
  }
  return problems;
}

async function serveOn(store: string): Promise<{ end: number | string; err: string }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-pgbouncer-"));
  try {
    const words = ["serve", "--port", "0", "--data", folder, "--store", store];
    return await startCommand([program, ...words], { folder, timeLimit: 60_000 }).ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
