import { setImmediate as nextRound } from "node:timers/promises";
import type { PromptBody } from "../../agent/message.ts";
import { createMutex } from "../../base/serial.ts";
import { allows } from "../../kernel/directories.ts";
import { readBody } from "../../log/bodies.ts";
import type { StoreReader } from "../../store/store.ts";
import { ActivityBook } from "./activity-book.ts";
import type { FailedPrompt } from "./activity-book.ts";
import { countCurrent } from "./current-counts.ts";
import type { CurrentCounts } from "./current-counts.ts";
import { slicesOf, spreadOf } from "./activity-slices.ts";
import type { ActivitySlice, Settled, Spread } from "./activity-slices.ts";

export interface ActivityViews {
  /**
   * Summarizes the prompts, runs and cost of all sessions over the last `reach` milliseconds. The first call reads this
   * period from the log; later calls read only new events.
   */
  activity(query: ActivityQuery): Promise<Activity>;
  /**
   * Reads new events of the last day, for at most this number of milliseconds. Call this in advance, so that the first
   * summary is fast. Returns true if all events have been read.
   */
  readActivity(milliseconds: number): Promise<boolean>;
}

export interface ActivityQuery {
  readonly reach: number;
  readonly slices: number;
  /** Directories that the caller is limited to; null: no limit. */
  readonly directories: readonly string[] | null;
}

export interface Activity {
  readonly from: number;
  readonly to: number;
  readonly current: CurrentCounts;
  readonly slices: readonly ActivitySlice[];
  readonly inQueue: Spread;
  readonly settled: Settled;
  /** Latest failed prompts, latest first. */
  readonly failures: readonly ActivityFailure[];
  /** False while the log is still being read: the numbers are then too low. */
  readonly isComplete: boolean;
}

export interface ActivityFailure extends FailedPrompt {
  readonly text: string | null;
}

/** Maximum milliseconds for reading the log. After that, a call returns incomplete results. */
const patience = 1_000;
const maxFailures = 20;
const day = 86_400_000;
const maxText = 200;

export function activityViews(store: StoreReader): ActivityViews {
  const book = new ActivityBook(store);
  const oneAtATime = createMutex();
  return {
    readActivity: async (milliseconds) => {
      const since = (await store.now()) - day;
      return oneAtATime(() => readOn(since, milliseconds));
    },
    activity: async ({ reach, slices, directories }) => {
      const now = await store.now();
      const width = reach / slices;
      // Slices start at multiples of their length, so that their borders are the same in each call.
      const to = (Math.floor(now / width) + 1) * width;
      const range = { from: to - reach, to, slices };
      // Read the facts inside the mutex: a later call for a longer range drops them and starts again.
      const { isComplete, facts } = await oneAtATime(async () => ({
        isComplete: await readOn(range.from, patience),
        facts: book.facts(range.from, (directory) => allows(directories, directory)),
      }));
      const settled = { completed: 0, failed: 0, cancelled: 0 };
      const all = slicesOf(facts, range);
      for (const slice of all) {
        for (const status of statuses) settled[status] += slice.settled[status];
      }
      const waits = facts.prompts.flatMap(({ queuedAt, enteredAt }) =>
        enteredAt === null || enteredAt < range.from ? [] : [enteredAt - queuedAt],
      );
      const failures = await failuresOf(store, facts.failures);
      const current = await countCurrent(store, directories);
      const { from } = range;
      const inQueue = spreadOf(waits);
      return { from, to, current, slices: all, inQueue, settled, failures, isComplete };
    },
  };

  async function readOn(since: number, milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    do {
      if (await book.step(since)) return true;
      await nextRound();
    } while (performance.now() < end);
    return false;
  }
}

const statuses = ["completed", "failed", "cancelled"] as const;

async function failuresOf(
  store: StoreReader,
  failures: readonly FailedPrompt[],
): Promise<ActivityFailure[]> {
  const failed = failures.toSorted((one, other) => other.at - one.at).slice(0, maxFailures);
  const found = await Promise.all(
    failed.map(async (failure): Promise<ActivityFailure | null> => {
      const state = await store.lane(failure.sessionId);
      if (state === null || state.status === "deleted") return null;
      const row = await store.prompt(failure.sessionId, failure.promptId);
      const body = await readBody<PromptBody>(store, row?.body ?? null);
      return { ...failure, text: body?.text.slice(0, maxText).toWellFormed() ?? null };
    }),
  );
  return found.filter((failure) => failure !== null);
}
