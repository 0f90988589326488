import type { Migration } from "../../migrate.ts";

export const whatNodesKnow: Migration = {
  version: 3,
  lowestVersion: 1,
  sql: `
    -- The highest schema version that the node's program knows. Programs that know none of this
    -- column know 2.
    ALTER TABLE nodes ADD COLUMN knows integer NOT NULL DEFAULT 2;
  `,
};
