import type { Migration } from "../migrate.ts";
import { lanesAndLog } from "./migrations/0001-lanes-and-log.ts";

export const migrations: readonly Migration[] = [lanesAndLog];
