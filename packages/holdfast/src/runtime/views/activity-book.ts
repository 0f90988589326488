import type { LaneEvent } from "../../kernel/event.ts";
import { unfinishedStatuses } from "../../kernel/session-status.ts";
import { itemId } from "../../kernel/state.ts";
import type { StoreReader } from "../../store/store.ts";
import type { AnswerFact, Facts, PromptFact, Span } from "./activity-slices.ts";

/** Facts about prompts and runs of all sessions in the last day, read from the log page by page. */
export interface ActivityBook {
  /** Reads a page of the log. Returns true if the facts since this time are complete. */
  step(since: number): Promise<boolean>;
  /** Returns facts about the wanted directories. Leaves out prompts, runs and answers that ended before `since`. */
  facts(since: number, isWanted: (directory: string) => boolean): Facts;
}

const eventsAtOnce = 500;
const hour = 3_600_000;
/** Time for which facts are kept. */
const longest = 25 * hour;

export function createActivityBook(store: StoreReader): ActivityBook {
  let cursor: string | null = null;
  let since = Infinity;
  let forgotten = 0;
  const directories = new Map<string, string>();
  const prompts = new Map<string, Changeable<PromptFact>>();
  const runs = new Map<string, Changeable<Span> & { readonly directory: string }>();
  let answers: (AnswerFact & { readonly directory: string })[] = [];

  const directoryOf = async (sessionId: string): Promise<string> => {
    const known = directories.get(sessionId);
    if (known !== undefined) return known;
    const directory = (await store.lane(sessionId))?.directory ?? "";
    directories.set(sessionId, directory);
    return directory;
  };
  /** Finds a prompt that was accepted before the first event that was read. */
  const promptOf = async (
    sessionId: string,
    promptId: string,
  ): Promise<Changeable<PromptFact> | null> => {
    const known = prompts.get(`${sessionId}\n${promptId}`);
    if (known !== undefined) return known;
    const row = await store.prompt(sessionId, promptId);
    return row === null ? null : addPrompt(sessionId, promptId, row.acceptedAt);
  };
  const addPrompt = async (
    sessionId: string,
    promptId: string,
    acceptedAt: number,
  ): Promise<Changeable<PromptFact>> => {
    const directory = await directoryOf(sessionId);
    const open = { enteredAt: null, settledAt: null, outcome: null };
    const fact: Changeable<PromptFact> = { sessionId, promptId, directory, acceptedAt, ...open };
    prompts.set(`${sessionId}\n${promptId}`, fact);
    return fact;
  };
  const startAt = async (time: number): Promise<void> => {
    prompts.clear();
    runs.clear();
    answers = [];
    cursor = await store.feedAt(time);
    since = time;
    await addUnfinished(time);
  };
  /** Adds the prompts that were already waiting, and the runs that were already active, at this time. */
  const addUnfinished = async (time: number): Promise<void> => {
    for (let after: string | null = null; ;) {
      const page = await store.listSessions({ statuses: unfinishedStatuses, limit: 500, after });
      for (const { state } of page.sessions) {
        const { sessionId, queue, active } = state;
        for (const item of queue)
          if (item.kind === "prompt") await promptOf(sessionId, itemId(item));
        if (active?.kind !== "run") continue;
        const [start] = await store.events(sessionId, {
          after: null,
          limit: 1,
          types: ["run.started"],
          subject: active.runId,
        });
        if (start === undefined || start.at >= time) continue;
        const directory = await directoryOf(sessionId);
        runs.set(active.runId, { directory, from: start.at, to: Infinity });
        for (const { promptId } of active.prompts) {
          const prompt = await promptOf(sessionId, promptId);
          if (prompt !== null) prompt.enteredAt = start.at;
        }
      }
      if (page.cursor === null) return;
      after = page.cursor;
    }
  };
  const take = async (event: LaneEvent): Promise<void> => {
    const { sessionId, at } = event;
    if (event.type === "session.created") directories.set(sessionId, event.directory);
    if (event.type === "prompt.accepted") await addPrompt(sessionId, event.promptId, at);
    if (event.type === "run.started") {
      runs.set(event.runId, { directory: await directoryOf(sessionId), from: at, to: Infinity });
    }
    if (event.type === "run.started" || event.type === "prompt.takenIn") {
      const prompt = await promptOf(sessionId, event.promptId);
      if (prompt !== null) prompt.enteredAt ??= at;
    }
    if (event.type === "prompt.returned") {
      const prompt = await promptOf(sessionId, event.promptId);
      if (prompt !== null) prompt.enteredAt = null;
    }
    if (event.type === "prompt.settled") {
      const prompt = await promptOf(sessionId, event.promptId);
      if (prompt !== null) Object.assign(prompt, { settledAt: at, outcome: event.outcome });
    }
    if (event.type === "run.ended") {
      const run = runs.get(event.runId);
      if (run !== undefined) run.to = at;
    }
    if (event.type === "step.answered") {
      answers.push({ directory: await directoryOf(sessionId), at, usage: event.usage });
    }
  };
  const forget = (before: number): void => {
    for (const [key, { settledAt }] of prompts) {
      if (settledAt !== null && settledAt < before) prompts.delete(key);
    }
    for (const [key, { to }] of runs) if (to < before) runs.delete(key);
    answers = answers.filter(({ at }) => at >= before);
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
    facts: (time, isWanted) => ({
      prompts: [...prompts.values()].filter(
        ({ directory, settledAt }) => (settledAt ?? Infinity) >= time && isWanted(directory),
      ),
      runs: [...runs.values()].filter(({ directory, to }) => to > time && isWanted(directory)),
      answers: answers.filter(({ directory, at }) => at >= time && isWanted(directory)),
    }),
  };
}

type Changeable<Fact> = { -readonly [Key in keyof Fact]: Fact[Key] };
