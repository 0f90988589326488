import type { Migration } from "../../migrate.ts";

export const accounts: Migration = {
  version: 7,
  // Older programs would take steps without charging them.
  lowestVersion: 7,
  sql: `
    -- Budgets and caps (P6): what was spent of each, and its limit. Only a step below one writes it.
    -- Charges are added to what is spent. The version counts all other changes: each is made to what was read.
    CREATE TABLE accounts (
      id text PRIMARY KEY,
      version bigint NOT NULL,
      input_tokens double precision NOT NULL,
      output_tokens double precision NOT NULL,
      cost double precision NOT NULL,
      account jsonb NOT NULL
    );
  `,
};
