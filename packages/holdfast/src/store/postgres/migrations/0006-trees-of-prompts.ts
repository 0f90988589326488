import type { Migration } from "../../migrate.ts";

export const treesOfPrompts: Migration = {
  version: 6,
  // Older programs would drop what a lane's state says of its tree of prompts.
  lowestVersion: 6,
  sql: `
    -- A lane's state leads to the live descendants of its prompts: nothing of the schema changes.
  `,
};
