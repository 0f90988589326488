import type { Migration } from "../../migrate.ts";

export const currentSessions: Migration = {
  version: 2,
  lowestVersion: 1,
  sql: `
    -- What people mostly list. It changes only when a session is made, archived, brought back or deleted,
    -- so that archived sessions cost lists nothing, and commits pay nothing for it.
    CREATE INDEX lanes_current ON lanes (lane) WHERE deleted = 0 AND archived = 0;
  `,
};
