import type { EventOf, LaneEvent } from "../../kernel/event.ts";
import { unfinishedStatuses } from "../../kernel/session-status.ts";
import { itemId } from "../../kernel/state.ts";
import type { Outcome } from "../../kernel/state.ts";
import type { StoreReader } from "../../store/store.ts";
import type { AnswerFact, Facts, PromptFact, Span } from "./activity-slices.ts";
import { createNumberRows } from "./number-rows.ts";

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

/** Number that stands for a missing time or status. */
const never = -1;
/** Maximum number of sessions whose directory is cached, at about 150 bytes each. Others are read from the store. */
const maxSessions = 20_000;

const statuses = ["completed", "failed", "cancelled"] as const;

/** Collects facts about prompts and runs of all sessions in the last day, from the log, page by page. */
export class ActivityBook {
  readonly #store: StoreReader;
  #cursor: string | null = null;
  #since = Infinity;
  #forgotten = 0;
  /** Assigns a number to each directory path. `#sessions` maps each known session to the number of its directory. */
  readonly #directories = new Map<string, number>();
  readonly #sessions = new Map<string, number>();
  readonly #openPrompts = new Map<string, OpenPrompt>();
  readonly #openRuns = new Map<string, OpenRun>();
  readonly #ended = new EndedFacts();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /**
   * Reads the next page of the log. Returns true after the last page: then `facts` knows everything since this time.
   */
  async step(since: number): Promise<boolean> {
    try {
      return await this.#readPage(since);
    } catch (error) {
      // Facts may now be missing or counted twice, so the next step reads everything again.
      this.#since = Infinity;
      throw error;
    }
  }

  async #readPage(since: number): Promise<boolean> {
    if (since < this.#since) await this.#startAt(since);
    const page = await this.#store.feed({ after: this.#cursor, limit: eventsAtOnce });
    if (page.status === "reset") {
      this.#since = Infinity;
      return false;
    }
    for (const event of page.events) await this.#take(event);
    this.#cursor = page.cursor;
    const old = (page.events.at(-1)?.at ?? 0) - longest;
    if (old > this.#forgotten + hour) this.#forget(old);
    return !page.more;
  }

  /**
   * Returns the prompts, runs and answers of the directories for which `isWanted` returns true. Leaves out those that
   * ended before `since`.
   */
  facts(
    since: number,
    isWanted: (directory: string) => boolean,
  ): Facts & { readonly failures: readonly FailedPrompt[] } {
    const directories = [...this.#directories].filter(([directory]) => isWanted(directory));
    const wanted = new Set(directories.map(([, number]) => number));
    const found = this.#ended.since(since, wanted);
    for (const prompt of this.#openPrompts.values()) {
      if (!wanted.has(prompt.directory)) continue;
      found.prompts.push({ ...prompt, settledAt: null, status: null });
    }
    for (const { directory, from } of this.#openRuns.values())
      if (wanted.has(directory)) found.runs.push({ from, to: Infinity });
    return found;
  }

  async #startAt(time: number): Promise<void> {
    this.#openPrompts.clear();
    this.#openRuns.clear();
    this.#ended.dropBefore(Infinity);
    this.#cursor = await this.#store.feedAt(time);
    this.#since = time;
    await this.#addUnfinished(time);
  }

  #forget(before: number): void {
    this.#ended.dropBefore(before);
    this.#since = Math.max(this.#since, before);
    this.#forgotten = before;
  }

  /** Adds the prompts that were already waiting at this time, and the runs that were already active. */
  async #addUnfinished(time: number): Promise<void> {
    for (let after: string | null = null; ;) {
      const page = await this.#store.listSessions({
        statuses: unfinishedStatuses,
        limit: 500,
        after,
      });
      for (const { state } of page.sessions) {
        const { sessionId, queue, active } = state;
        for (const item of queue)
          if (item.kind === "prompt") await this.#promptOf({ sessionId, promptId: itemId(item) });
        if (active?.kind !== "run") continue;
        const run = await this.#runOf(sessionId, active.runId);
        if (run === null || run.from >= time) continue;
        this.#openRuns.set(active.runId, run);
        for (const { promptId } of active.prompts) {
          const prompt = await this.#promptOf({ sessionId, promptId });
          if (prompt !== null) prompt.enteredAt = run.from;
        }
      }
      if (page.cursor === null) return;
      after = page.cursor;
    }
  }

  async #take(event: LaneEvent): Promise<void> {
    const { sessionId, at } = event;
    if (event.type === "session.created") this.#remember(sessionId, event.directory);
    if (event.type === "prompt.accepted") await this.#addPrompt(event, at);
    if (event.type === "run.started" || event.type === "prompt.takenIn") {
      const prompt = await this.#promptOf(event);
      if (prompt !== null) prompt.enteredAt ??= at;
      if (event.type === "run.started") {
        const directory = prompt?.directory ?? (await this.#directoryOf(sessionId));
        this.#openRuns.set(event.runId, { directory, from: at });
      }
    }
    if (event.type === "prompt.returned") {
      const prompt = await this.#promptOf(event);
      if (prompt !== null) this.#return(prompt, at);
    }
    if (event.type === "prompt.settled") await this.#settle(event);
    if (event.type === "run.ended") {
      const run = await this.#runOf(sessionId, event.runId);
      if (run !== null) this.#ended.addRun(run, at);
      this.#openRuns.delete(event.runId);
    }
    if (event.type === "step.answered") {
      const known = this.#openRuns.get(event.runId)?.directory;
      this.#ended.addAnswer(known ?? (await this.#directoryOf(sessionId)), event);
    }
  }

  /** Handles a prompt that returned to the queue: its last wait is complete, and a new one starts. */
  #return(prompt: OpenPrompt, at: number): void {
    if (prompt.enteredAt !== null) this.#ended.addWait(prompt, at);
    prompt.queuedAt = at;
    prompt.enteredAt = null;
  }

  async #settle(event: EventOf<"prompt.settled">): Promise<void> {
    const { runId } = event.outcome;
    const isKnown = this.#openPrompts.has(keyOf(event));
    const prompt = await this.#promptOf(event);
    if (prompt === null) return;
    this.#openPrompts.delete(keyOf(event));
    const run = isKnown || runId === null ? null : await this.#runOf(event.sessionId, runId);
    prompt.enteredAt ??= run?.from ?? null;
    this.#ended.addPrompt(prompt, event);
  }

  /** Returns a prompt. If it was accepted before the first event that was read, reads it from the store. */
  async #promptOf(key: PromptKey): Promise<OpenPrompt | null> {
    const known = this.#openPrompts.get(keyOf(key));
    if (known !== undefined) return known;
    const row = await this.#store.prompt(key.sessionId, key.promptId);
    return row === null ? null : this.#addPrompt(key, row.acceptedAt);
  }

  async #addPrompt(key: PromptKey, queuedAt: number): Promise<OpenPrompt> {
    const directory = await this.#directoryOf(key.sessionId);
    const open = { directory, queuedAt, enteredAt: null };
    this.#openPrompts.set(keyOf(key), open);
    return open;
  }

  /** Returns a run. If it started before the first event that was read, reads it from the store. */
  async #runOf(sessionId: string, runId: string): Promise<OpenRun | null> {
    const known = this.#openRuns.get(runId);
    if (known !== undefined) return known;
    const query = { after: null, limit: 1, types: ["run.started"], subject: runId } as const;
    const [start] = await this.#store.events(sessionId, query);
    if (start === undefined) return null;
    return { directory: await this.#directoryOf(sessionId), from: start.at };
  }

  async #directoryOf(sessionId: string): Promise<number> {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    return this.#remember(sessionId, (await this.#store.lane(sessionId))?.directory ?? "");
  }

  #remember(sessionId: string, directory: string): number {
    if (this.#sessions.size >= maxSessions) this.#sessions.clear();
    const number = this.#directories.get(directory) ?? this.#directories.size;
    this.#directories.set(directory, number);
    this.#sessions.set(sessionId, number);
    return number;
  }
}

interface OpenPrompt {
  readonly directory: number;
  /** Time at which the prompt was accepted, or returned to the queue. */
  queuedAt: number;
  enteredAt: number | null;
}

interface OpenRun {
  readonly directory: number;
  readonly from: number;
}

type PromptKey = Pick<FailedPrompt, "sessionId" | "promptId">;

function keyOf({ sessionId, promptId }: PromptKey): string {
  return `${sessionId}\n${promptId}`;
}

/**
 * Facts about prompts and runs that have ended, and about answers. A busy server ends many prompts in a day, so these
 * facts are stored as numbers: 40 bytes for a prompt instead of 1 kB.
 */
class EndedFacts {
  // directory, queuedAt, enteredAt or -1, settledAt or time of the return, index of the status or -1
  readonly #prompts = createNumberRows(5);
  readonly #runs = createNumberRows(3); // directory, from, to
  readonly #answers = createNumberRows(5); // directory, at, input tokens, output tokens, cost
  #failures: (FailedPrompt & { readonly directory: number })[] = [];

  addPrompt(prompt: OpenPrompt, settled: EventOf<"prompt.settled">): void {
    const { directory, queuedAt, enteredAt } = prompt;
    const { sessionId, promptId, at, outcome } = settled;
    const status = statuses.indexOf(outcome.status);
    this.#prompts.add(directory, queuedAt, enteredAt ?? never, at, status);
    if (outcome.status !== "failed") return;
    this.#failures.push({ sessionId, promptId, at, outcome, directory });
    if (this.#failures.length > 2 * maxFailures)
      this.#failures = this.#failures.slice(-maxFailures);
  }

  /** Adds the wait of a prompt that a run took, and that returned to the queue at this time. */
  addWait({ directory, queuedAt, enteredAt }: OpenPrompt, returnedAt: number): void {
    this.#prompts.add(directory, queuedAt, enteredAt ?? never, returnedAt, never);
  }

  addRun({ directory, from }: OpenRun, to: number): void {
    this.#runs.add(directory, from, to);
  }

  addAnswer(directory: number, { at, usage }: EventOf<"step.answered">): void {
    this.#answers.add(directory, at, usage.inputTokens, usage.outputTokens, usage.cost);
  }

  dropBefore(time: number): void {
    this.#prompts.dropBelow(3, time);
    this.#runs.dropBelow(2, time);
    this.#answers.dropBelow(1, time);
    this.#failures = this.#failures.filter(({ at }) => at >= time);
  }

  /** Returns the facts since this time in directories with one of these numbers. */
  since(time: number, wanted: ReadonlySet<number>) {
    const prompts: PromptFact[] = [];
    const runs: Span[] = [];
    const answers: AnswerFact[] = [];
    this.#prompts.each((row, at) => {
      const settledAt = row[at + 3] ?? 0;
      if (settledAt < time || !wanted.has(row[at] ?? 0)) return;
      const entered = row[at + 2] ?? 0;
      prompts.push({
        queuedAt: row[at + 1] ?? 0,
        enteredAt: entered === never ? null : entered,
        settledAt,
        status: statuses[row[at + 4] ?? never] ?? null,
      });
    });
    this.#runs.each((row, at) => {
      const to = row[at + 2] ?? 0;
      if (to > time && wanted.has(row[at] ?? 0)) runs.push({ from: row[at + 1] ?? 0, to });
    });
    this.#answers.each((row, at) => {
      const answeredAt = row[at + 1] ?? 0;
      if (answeredAt < time || !wanted.has(row[at] ?? 0)) return;
      const inputTokens = row[at + 2] ?? 0;
      const outputTokens = row[at + 3] ?? 0;
      const usage = { inputTokens, outputTokens, cost: row[at + 4] ?? 0 };
      answers.push({ at: answeredAt, usage });
    });
    const failures = this.#failures.flatMap(({ directory, ...failure }) =>
      failure.at >= time && wanted.has(directory) ? [failure] : [],
    );
    return { prompts, runs, answers, failures };
  }
}
