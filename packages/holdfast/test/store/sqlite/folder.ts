import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A place for a test's database, removed after it. */
export function databaseFile(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "store.db");
}

/** An error of the store with this code, whose message says what to do. */
export function storeError(code: string, message: RegExp): object {
  return { name: "StoreError", code, message };
}
