import type { LaneEvent } from "../../kernel/event.ts";
import { unfinishedStatuses } from "../../kernel/session-status.ts";
import { itemId } from "../../kernel/state.ts";
import type { Outcome } from "../../kernel/state.ts";
import type { StoreReader } from "../../store/store.ts";
import type { AnswerFact, Facts, PromptFact, Span } from "./activity-slices.ts";
import { createNumberRows } from "./number-rows.ts";

/** Collects facts about prompts and runs of all sessions in the last day, from the log, page by page. */
export interface ActivityBook {
  /**
   * Reads the next page of the log. Returns true after the last page: then `facts` knows everything since this time.
   */
  step(since: number): Promise<boolean>;
  /**
   * Returns the prompts, runs and answers of the directories for which `isWanted` returns true. Leaves out those that
   * ended before `since`.
   */
  facts(
    since: number,
    isWanted: (directory: string) => boolean,
  ): Facts & { readonly failures: readonly FailedPrompt[] };
}

export interface FailedPrompt {
  readonly sessionId: string;
  readonly promptId: string;
  readonly at: number;
  readonly outcome: Outcome;
}

const eventsAtOnce = 500;
const hour = 3_600_000;
/** Prompts, runs and answers that ended more than this number of milliseconds ago are dropped. */
const longest = 25 * hour;
/** Maximum number of failed prompts to remember. */
const maxFailures = 1_000;

/** Number that stands for a missing time. */
const never = -1;
/** Maximum number of sessions whose directory is cached, at about 150 bytes each. Others are read from the store. */
const maxSessions = 20_000;

const statuses = ["completed", "failed", "cancelled"] as const;

export function createActivityBook(store: StoreReader): ActivityBook {
  let cursor: string | null = null;
  let since = Infinity;
  let forgotten = 0;
  /** Assigns a number to each directory path. `sessions` maps each known session to the number of its directory. */
  const directories = new Map<string, number>();
  const sessions = new Map<string, number>();
  const openPrompts = new Map<string, OpenPrompt>();
  const openRuns = new Map<string, OpenRun>();
  // A busy server ends many prompts in a day, so ended prompts are stored as numbers: 40 bytes for a prompt instead of
  // 1 kB.
  const prompts = createNumberRows(5); // directory, acceptedAt, enteredAt or -1, settledAt, index of the status
  const runs = createNumberRows(3); // directory, from, to
  const answers = createNumberRows(5); // directory, at, input tokens, output tokens, cost
  let failures: (FailedPrompt & { readonly directory: number })[] = [];

  const numberOf = (directory: string): number => {
    const known = directories.get(directory) ?? directories.size;
    directories.set(directory, known);
    return known;
  };
  const directoryOf = async (sessionId: string): Promise<number> => {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known;
    return remember(sessionId, (await store.lane(sessionId))?.directory ?? "");
  };
  const remember = (sessionId: string, directory: string): number => {
    if (sessions.size >= maxSessions) sessions.clear();
    const number = numberOf(directory);
    sessions.set(sessionId, number);
    return number;
  };
  /** Returns a prompt. If it was accepted before the first event that was read, reads it from the store. */
  const promptOf = async (sessionId: string, promptId: string): Promise<OpenPrompt | null> => {
    const known = openPrompts.get(`${sessionId}\n${promptId}`);
    if (known !== undefined) return known;
    const row = await store.prompt(sessionId, promptId);
    return row === null ? null : addPrompt(sessionId, promptId, row.acceptedAt);
  };
  const addPrompt = async (
    sessionId: string,
    promptId: string,
    acceptedAt: number,
  ): Promise<OpenPrompt> => {
    const open = { directory: await directoryOf(sessionId), acceptedAt, enteredAt: null };
    openPrompts.set(`${sessionId}\n${promptId}`, open);
    return open;
  };
  /** Returns a run. If it started before the first event that was read, reads it from the store. */
  const runOf = async (sessionId: string, runId: string): Promise<OpenRun | null> => {
    const known = openRuns.get(runId);
    if (known !== undefined) return known;
    const query = { after: null, limit: 1, types: ["run.started"], subject: runId } as const;
    const [start] = await store.events(sessionId, query);
    if (start === undefined) return null;
    return { directory: await directoryOf(sessionId), from: start.at };
  };
  const startAt = async (time: number): Promise<void> => {
    openPrompts.clear();
    openRuns.clear();
    for (const rows of [prompts, runs, answers]) rows.dropBelow(0, Infinity);
    failures = [];
    cursor = await store.feedAt(time);
    since = time;
    await addUnfinished(time);
  };
  /** Adds the prompts that were already waiting at this time, and the runs that were already active. */
  const addUnfinished = async (time: number): Promise<void> => {
    for (let after: string | null = null; ;) {
      const page = await store.listSessions({ statuses: unfinishedStatuses, limit: 500, after });
      for (const { state } of page.sessions) {
        const { sessionId, queue, active } = state;
        for (const item of queue)
          if (item.kind === "prompt") await promptOf(sessionId, itemId(item));
        if (active?.kind !== "run") continue;
        const run = await runOf(sessionId, active.runId);
        if (run === null || run.from >= time) continue;
        openRuns.set(active.runId, run);
        for (const { promptId } of active.prompts) {
          const prompt = await promptOf(sessionId, promptId);
          if (prompt !== null) prompt.enteredAt = run.from;
        }
      }
      if (page.cursor === null) return;
      after = page.cursor;
    }
  };
  const settle = async ({
    sessionId,
    promptId,
    at,
    outcome,
  }: Extract<LaneEvent, { type: "prompt.settled" }>): Promise<void> => {
    const isKnown = openPrompts.has(`${sessionId}\n${promptId}`);
    const prompt = await promptOf(sessionId, promptId);
    if (prompt === null) return;
    openPrompts.delete(`${sessionId}\n${promptId}`);
    const { directory, acceptedAt } = prompt;
    const run = isKnown || outcome.runId === null ? null : await runOf(sessionId, outcome.runId);
    const enteredAt = prompt.enteredAt ?? run?.from ?? null;
    prompts.add(directory, acceptedAt, enteredAt ?? never, at, statuses.indexOf(outcome.status));
    if (outcome.status !== "failed") return;
    failures.push({ sessionId, promptId, at, outcome, directory });
    if (failures.length > 2 * maxFailures) failures = failures.slice(-maxFailures);
  };
  const take = async (event: LaneEvent): Promise<void> => {
    const { sessionId, at } = event;
    if (event.type === "session.created") remember(sessionId, event.directory);
    if (event.type === "prompt.accepted") await addPrompt(sessionId, event.promptId, at);
    if (event.type === "run.started" || event.type === "prompt.takenIn") {
      const prompt = await promptOf(sessionId, event.promptId);
      if (prompt !== null) prompt.enteredAt ??= at;
      if (event.type === "run.started") {
        const directory = prompt?.directory ?? (await directoryOf(sessionId));
        openRuns.set(event.runId, { directory, from: at });
      }
    }
    if (event.type === "prompt.returned") {
      const prompt = await promptOf(sessionId, event.promptId);
      if (prompt !== null) prompt.enteredAt = null;
    }
    if (event.type === "prompt.settled") await settle(event);
    if (event.type === "run.ended") {
      const run = await runOf(sessionId, event.runId);
      if (run !== null) runs.add(run.directory, run.from, at);
      openRuns.delete(event.runId);
    }
    if (event.type === "step.answered") {
      const { inputTokens, outputTokens, cost } = event.usage;
      const directory = openRuns.get(event.runId)?.directory ?? (await directoryOf(sessionId));
      answers.add(directory, at, inputTokens, outputTokens, cost);
    }
  };
  const forget = (before: number): void => {
    prompts.dropBelow(3, before);
    runs.dropBelow(2, before);
    answers.dropBelow(1, before);
    failures = failures.filter(({ at }) => at >= before);
    since = Math.max(since, before);
    forgotten = before;
  };
  return {
    async step(time) {
      if (time < since) await startAt(time);
      const page = await store.feed({ after: cursor, limit: eventsAtOnce });
      if (page.status === "reset") {
        since = Infinity;
        return false;
      }
      for (const event of page.events) await take(event);
      ({ cursor } = page);
      const old = (page.events.at(-1)?.at ?? 0) - longest;
      if (old > forgotten + hour) forget(old);
      return !page.more;
    },
    facts(time, isWanted) {
      const wanted = new Set(
        [...directories].flatMap(([directory, number]) => (isWanted(directory) ? [number] : [])),
      );
      const isWantedFact = ({ directory }: { readonly directory: number }) => wanted.has(directory);
      const open = [...openPrompts.values()].filter(isWantedFact);
      const found: { prompts: PromptFact[]; runs: Span[]; answers: AnswerFact[] } = {
        prompts: open.map((prompt) => ({ ...prompt, settledAt: null, status: null })),
        runs: [...openRuns.values()]
          .filter(isWantedFact)
          .map(({ from }) => ({ from, to: Infinity })),
        answers: [],
      };
      prompts.each((row, at) => {
        const settledAt = row[at + 3] ?? 0;
        if (settledAt < time || !wanted.has(row[at] ?? 0)) return;
        const entered = row[at + 2] ?? 0;
        found.prompts.push({
          acceptedAt: row[at + 1] ?? 0,
          enteredAt: entered === never ? null : entered,
          settledAt,
          status: statuses[row[at + 4] ?? 0] ?? "failed",
        });
      });
      runs.each((row, at) => {
        const to = row[at + 2] ?? 0;
        if (to > time && wanted.has(row[at] ?? 0)) found.runs.push({ from: row[at + 1] ?? 0, to });
      });
      answers.each((row, at) => {
        const answeredAt = row[at + 1] ?? 0;
        if (answeredAt < time || !wanted.has(row[at] ?? 0)) return;
        const inputTokens = row[at + 2] ?? 0;
        const outputTokens = row[at + 3] ?? 0;
        const usage = { inputTokens, outputTokens, cost: row[at + 4] ?? 0 };
        found.answers.push({ at: answeredAt, usage });
      });
      const failed = failures.flatMap(({ directory, ...failure }) =>
        failure.at >= time && wanted.has(directory) ? [failure] : [],
      );
      return { ...found, failures: failed };
    },
  };
}

interface OpenPrompt {
  readonly directory: number;
  readonly acceptedAt: number;
  enteredAt: number | null;
}

interface OpenRun {
  readonly directory: number;
  readonly from: number;
}
