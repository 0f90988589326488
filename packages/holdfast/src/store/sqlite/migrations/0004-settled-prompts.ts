import type { Migration } from "../../migrate.ts";

export const settledPrompts: Migration = {
  version: 4,
  // Older programs would not find these rows, and take their prompts for queued.
  lowestVersion: 4,
  sql: `
    -- The ledger's rows of settled prompts, by a number out of lane and id: a look-up reads one page of
    -- this, however many there are, and none of the log's index. The position is that of the event that
    -- settled it, which has no place in the log's index: this is what keeps it from happening twice.
    CREATE TABLE settled (
      key INTEGER PRIMARY KEY,
      lane INTEGER NOT NULL,
      position INTEGER NOT NULL,
      row TEXT NOT NULL
    );

    -- The table of prompts has the rows of those that something has happened to and that are not settled;
    -- of those whose number another prompt had first; and of those that were settled before this version.
  `,
};
