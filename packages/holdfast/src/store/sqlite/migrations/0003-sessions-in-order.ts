import type { Migration } from "../../migrate.ts";

export const sessionsInOrder: Migration = {
  version: 3,
  lowestVersion: 1,
  sql: `
    -- Lists in their order. Every commit writes it, mostly at its end: a page more for a lane alone, and
    -- hardly any for lanes that are committed together.
    CREATE INDEX lanes_in_order ON lanes (deleted, archived, updated_at);

    -- For the lists of directories with few sessions. No commit changes it.
    CREATE INDEX lanes_in_directory ON lanes (directory);

    -- lanes_current stays for programs that know version 2: they name it.
  `,
};
