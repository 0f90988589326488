import type { Migration } from "../migrate.ts";
import { lanesAndLog } from "./migrations/0001-lanes-and-log.ts";
import { currentSessions } from "./migrations/0002-current-sessions.ts";
import { whatNodesKnow } from "./migrations/0003-what-nodes-know.ts";
import { sessionsInOrder } from "./migrations/0004-sessions-in-order.ts";
import { idleLanes } from "./migrations/0005-idle-lanes.ts";
import { treesOfPrompts } from "./migrations/0006-trees-of-prompts.ts";
import { accounts } from "./migrations/0007-accounts.ts";

export const migrations: readonly Migration[] = [
  lanesAndLog,
  currentSessions,
  whatNodesKnow,
  sessionsInOrder,
  idleLanes,
  treesOfPrompts,
  accounts,
];
