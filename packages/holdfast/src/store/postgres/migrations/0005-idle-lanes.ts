import type { Migration } from "../../migrate.ts";

export const idleLanes: Migration = {
  version: 5,
  lowestVersion: 1,
  sql: `
    -- The lane's seq, where it is plainly idle. Programs that know nothing of it move seq alone, so a
    -- lane that they have written to counts as one of which this is not known.
    ALTER TABLE lanes ADD COLUMN idle_seq bigint;
  `,
};
