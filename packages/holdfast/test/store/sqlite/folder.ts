import { join } from "node:path";
import type { TestContext } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";

/** Returns a path for a test's database, which is removed after the test. */
export function databaseFile(context: TestContext): string {
  const folder = scratchFolder(context, "sqlite");
  return join(folder, "store.db");
}

/** An error of the store with this code, whose message says what to do. */
export function storeError(code: string, message: RegExp): object {
  return { name: "StoreError", code, message };
}
