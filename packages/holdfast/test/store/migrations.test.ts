import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { planMigrations, schemaVersion } from "../../src/store/migrate.ts";
import type { Migration } from "../../src/store/migrate.ts";
import { migrations } from "../../src/store/sqlite/migrations.ts";

const steps: readonly Migration[] = [
  { version: 1, lowestVersion: 1, sql: "one" },
  { version: 2, lowestVersion: 1, sql: "two" },
  { version: 3, lowestVersion: 2, sql: "three" },
];

test("a database gets its missing migrations, in order", () => {
  const planned = (version: number | null): number[] =>
    planMigrations(steps, version === null ? null : { version, lowestVersion: 1 }).map(
      (migration) => migration.version,
    );
  assert.deepEqual([planned(null), planned(1), planned(3)], [[1, 2, 3], [2, 3], []]);
  assert.deepEqual(schemaVersion(steps), { version: 3, lowestVersion: 2 });
});

test("an older release opens a newer database unless a migration removed something that it needs", () => {
  assert.deepEqual(planMigrations(steps, { version: 5, lowestVersion: 3 }), []);
  assert.throws(() => planMigrations(steps, { version: 5, lowestVersion: 4 }), {
    name: "StoreError",
    code: "storeTooNew",
    message:
      "the database has schema version 5, which needs a release that supports at least schema version 4; " +
      "this release supports only up to 3. Install a newer Holdfast",
  });
});

test("migrations that are out of order are a bug", () => {
  const [first, second, third] = steps;
  assert(first !== undefined && second !== undefined && third !== undefined);
  assert.throws(() => schemaVersion([first, third]), /migration 3 is out of order/);
  assert.throws(
    () => schemaVersion([first, { ...second, lowestVersion: 0 }]),
    /migration 2 is out of order/,
  );
});

// Existing databases have run exactly these texts: put a change into a new migration.
test("published migrations of SQLite have not changed", () => {
  assert.deepEqual(
    migrations.map(({ version, lowestVersion, sql }) => [version, lowestVersion, digest(sql)]),
    [
      [1, 1, "de9017ee46d113f2ced09866a6d3cbff0e4f20162c8f5c91e52bee32e0bc6bc3"],
      [2, 1, "3b0cb5852e639155c6b71aa6b597dcdefb92a225bd444a1ba9a7bf117ba3bfa1"],
      [3, 1, "2a5f84123ca69b8f3022634ac5a57d46be77d2ddb44b94e5213dcb14ef6f894f"],
      [4, 4, "485a3c337bd33af6b1797ff72326499e54d7cbf15b1e23a68933f97f3d979e1e"],
      [5, 5, "03833cf32e3f287a6b7b570d93eb3a0e0bb82cc6a378c34553f245f5b4f31507"],
      [6, 6, "63c173280a7258eabd2e4653d8ed3a488a7ac41d250b6dc5a5c8625e2cb05434"],
      [7, 7, "83afa9651560aa145fdfe5cbb3fe949193fa0045a963e6777fd7911c5b6fbbdf"],
      [8, 7, "ae8f1c9b3e95dcff572edebd73b7c404e1db1a45449f3db46b2dab0b79bb9edf"],
      [9, 7, "86138aa6ab1c584203b2b324130a2a7933aa3f2b341e7175b6e10afb81a5af62"],
    ],
  );
});

function digest(sql: string): string {
  return createHash("sha256").update(sql).digest("hex");
}
