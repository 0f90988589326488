import type { Migration } from "../../migrate.ts";

export const contentParts: Migration = {
  version: 5,
  // Older programs would read a content that is stored in parts as empty.
  lowestVersion: 5,
  sql: `
    -- Large contents, in parts that are written one by one: a single write would block everything else.
    -- The row of bodies or uploads that such a content belongs to has an empty content.
    CREATE TABLE parts (
      hash TEXT NOT NULL,
      part INTEGER NOT NULL,
      content BLOB NOT NULL,
      UNIQUE (hash, part)
    );
  `,
};
