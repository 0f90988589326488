import { createKeyedMutex } from "../../base/serial.ts";
import type { KeyedMutex } from "../../base/serial.ts";
import type { ForeignSession } from "./foreign-session.ts";
import type { HostedPool } from "./pool.ts";

/**
 * All agent processes of one runtime, by agent and session. After a config change, the agent process of the old config
 * version is terminated before the new config version opens the same session of the agent.
 */
export interface RunningAgents {
  readonly sessions: Map<string, RunningAgent>;
  /** Only one process per agent and session is opened or closed at a time. */
  readonly opening: KeyedMutex;
}

export interface RunningAgent {
  readonly session: ForeignSession;
  readonly pool: HostedPool;
}

export function createRunningAgents(): RunningAgents {
  return { sessions: new Map(), opening: createKeyedMutex() };
}
