import type { Migration } from "../../migrate.ts";
import { lanesAndLog } from "./0001-lanes-and-log.ts";
import { currentSessions } from "./0002-current-sessions.ts";
import { sessionsInOrder } from "./0003-sessions-in-order.ts";
import { settledPrompts } from "./0004-settled-prompts.ts";
import { contentParts } from "./0005-content-parts.ts";
import { treesOfPrompts } from "./0006-trees-of-prompts.ts";
import { accounts } from "./0007-accounts.ts";

/** In order. A published one never changes. */
export const migrations: readonly Migration[] = [
  lanesAndLog,
  currentSessions,
  sessionsInOrder,
  settledPrompts,
  contentParts,
  treesOfPrompts,
  accounts,
];
