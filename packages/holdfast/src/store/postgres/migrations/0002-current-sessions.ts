import type { Migration } from "../../migrate.ts";

export const currentSessions: Migration = {
  version: 2,
  lowestVersion: 1,
  sql: `
    -- What people mostly list: archived sessions cost lists nothing.
    CREATE INDEX lanes_current ON lanes (session_id) WHERE NOT deleted AND NOT archived;
  `,
};
