import { cancelRaces } from "./cancel.ts";
import { endRaces } from "./end.ts";
import { stopRaces } from "./stop.ts";
import type { Race } from "./race.ts";

/** The races that every store must win, on one runtime or on several that share it. */
export const races: readonly Race[] = [...cancelRaces, ...endRaces, ...stopRaces];
