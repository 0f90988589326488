import type { Migration } from "../../migrate.ts";

export const accounts: Migration = {
  version: 7,
  // Older programs would take steps without charging them.
  lowestVersion: 7,
  sql: `
    -- Budgets and caps (P6): what was spent of each, and its limit. Only a step below one writes it.
    CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL
    ) WITHOUT ROWID;
  `,
};
