import { StoreError } from "./store-error.ts";

/** A numbered schema change. A published migration never changes; a later one supersedes it. */
export interface Migration {
  readonly version: number;
  /**
   * The oldest schema version that can still use the database. Releases with an older schema refuse to open the
   * database. A migration that only adds things keeps this number. A migration that removes things that older releases
   * use raises it.
   */
  readonly lowestVersion: number;
  readonly sql: string;
}

/** The schema version recorded in a database. */
export interface SchemaVersion {
  readonly version: number;
  readonly lowestVersion: number;
}

/**
 * Returns the migrations to run on a database of version `found`; null: an empty database. None are needed if a newer
 * release has changed the database compatibly.
 */
export function planMigrations(
  migrations: readonly Migration[],
  found: SchemaVersion | null,
): readonly Migration[] {
  const known = schemaVersion(migrations);
  if (found !== null && found.lowestVersion > known.version) throw tooNew(found, known);
  return migrations.filter((migration) => migration.version > (found?.version ?? 0));
}

/** Returns the schema version after all migrations. */
export function schemaVersion(migrations: readonly Migration[]): SchemaVersion {
  let version = 0;
  let lowestVersion = 0;
  for (const migration of migrations) {
    if (migration.version !== version + 1 || migration.lowestVersion < lowestVersion) {
      throw new Error(`migration ${migration.version} is out of order`);
    }
    ({ version, lowestVersion } = migration);
  }
  return { version, lowestVersion };
}

/** Builds the error for a database that a newer release changed in a way that this release cannot handle. */
export function tooNew(found: SchemaVersion, known: SchemaVersion): StoreError {
  return new StoreError(
    "storeTooNew",
    `the database has schema version ${found.version}, which needs a release that supports at least schema version ` +
      `${found.lowestVersion}; this release supports only up to ${known.version}. Install a newer Holdfast`,
  );
}
