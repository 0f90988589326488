import { sessionStatus, unfinishedStatuses } from "../../kernel/session-status.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { StoreReader } from "../../store/store.ts";

/** Numbers of the current moment. Sessions are counted up to `countedSessions`. */
export interface CurrentCounts {
  /** Sessions with an active run. */
  readonly running: number;
  /** Prompts that wait. */
  readonly waiting: number;
  /** Unanswered requests to people. */
  readonly asks: number;
  /** Sessions that are paused, or whose run was cut off. */
  readonly paused: number;
}

const countedSessions = 1_000;
const pageSize = 200;

/** Counts the unfinished work of all sessions, or of the sessions in these directories. */
export async function countCurrent(
  store: StoreReader,
  directories: readonly string[] | null,
): Promise<CurrentCounts> {
  const limited = directories === null ? {} : { directories };
  const counts = { running: 0, waiting: 0, asks: 0, paused: 0 };
  let after: string | null = null;
  for (let count = 0; count < countedSessions; count += pageSize) {
    const query = { ...limited, statuses: unfinishedStatuses, limit: pageSize, after };
    const page: Awaited<ReturnType<StoreReader["listSessions"]>> = await store.listSessions(query);
    for (const { state } of page.sessions) {
      counts.running += state.active?.kind === "run" ? 1 : 0;
      counts.waiting += state.queue.filter(({ kind }) => kind === "prompt").length;
      counts.asks += state.active?.kind === "run" ? state.active.asks.length : 0;
      counts.paused += isPaused(state) ? 1 : 0;
    }
    after = page.cursor;
    if (after === null) break;
  }
  return counts;
}

function isPaused(state: LaneState): boolean {
  const status = sessionStatus(state);
  return status === "held" || status === "cutOff";
}
