import { StoreError } from "./store-error.ts";

/** A numbered change of the schema. Once published it never changes; a later one supersedes it. */
export interface Migration {
  readonly version: number;
  /**
   * The lowest schema version whose program may still open the database after it. An expanding
   * change leaves it as it was; one that removes what older programs use raises it.
   */
  readonly lowestVersion: number;
  readonly sql: string;
}

/** What a database says of itself. */
export interface SchemaVersion {
  readonly version: number;
  readonly lowestVersion: number;
}

/**
 * The migrations to run on a database that was found at the given version; null for an empty one.
 * A database that a newer program has expanded, but not beyond this one, needs none.
 */
export function planMigrations(
  migrations: readonly Migration[],
  found: SchemaVersion | null,
): readonly Migration[] {
  const known = schemaVersion(migrations);
  if (found !== null && found.lowestVersion > known.version) throw tooNew(found, known);
  return migrations.filter((migration) => migration.version > (found?.version ?? 0));
}

/** What a database is at once all migrations have run. */
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

/** The database was changed beyond what this program can work with. */
export function tooNew(found: SchemaVersion, known: SchemaVersion): StoreError {
  return new StoreError(
    "storeTooNew",
    `the database has schema version ${found.version}, which needs a program that knows version ` +
      `${found.lowestVersion}; this one knows ${known.version}. Install a newer Holdfast`,
  );
}
