import type { Migration } from "../../migrate.ts";

export const sessionsInOrder: Migration = {
  version: 4,
  lowestVersion: 1,
  sql: `
    -- Lists in their order.
    CREATE INDEX lanes_in_order ON lanes (deleted, archived, updated_at, session_id);
    DROP INDEX lanes_current;

    -- For the lists of directories with few sessions. By a number: a path may be too long for an index.
    CREATE INDEX lanes_in_directory ON lanes (hashtextextended(directory::text, 0));
  `,
};
