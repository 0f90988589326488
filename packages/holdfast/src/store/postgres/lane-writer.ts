import type { LaneState } from "../../kernel/state.ts";
import type { Answer } from "../../kernel/transaction.ts";
import type { CommandInput, StoreRequest } from "../store.ts";
import type { Attempt, CommittedLane, Context } from "./attempt.ts";
import { CommitInDoubt } from "./doubt.ts";
import type { Doubt } from "./doubt.ts";
import { isTransient, startPatience } from "./database.ts";
import { closedError, storeErrorOf } from "./errors.ts";
import type { Group, Outcome } from "./group.ts";
import { writeLocked } from "./locked.ts";
import { writeOptimistic } from "./optimistic.ts";

/**
 * After this many write conflicts in a row, lock the lane's row. Otherwise other writers could keep this process from
 * writing forever.
 */
const maxConflicts = 3;
/** Largest number of requests in one commit. */
const maxGroup = 128;

/** Commands that depend on the time or on a lease, so both must be read in the transaction that writes the result. */
const lockedCommands: ReadonlySet<CommandInput["type"]> = new Set([
  "lane.tick",
  "lane.takeover",
  "run.start",
  "work.start",
]);

interface Waiting {
  readonly request: StoreRequest;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * Group commit: while a commit of a lane is in flight, further requests of that lane wait and share the next
 * commit. Lanes do not wait for each other.
 */
export class LaneWriter {
  readonly #context: Context;
  readonly #signal: (state: LaneState, at: number) => void;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #busy = new Set<Promise<void>>();
  #closed = false;

  /** `signal` is called for each committed lane, with the time of its last event. */
  constructor(context: Context, signal: (state: LaneState, at: number) => void) {
    this.#context = context;
    this.#signal = signal;
  }

  async execute(request: StoreRequest): Promise<Answer> {
    if (this.#closed) throw closedError();
    const outcome = await new Promise<Outcome>((settle) => {
      this.#enqueue({ request, settle });
    });
    if (outcome.status === "failed") throw outcome.error;
    return outcome.answer;
  }

  /** Refuses new requests and waits for the accepted ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#busy);
  }

  #enqueue(waiting: Waiting): void {
    const { sessionId } = waiting.request.command;
    const queue = this.#queues.get(sessionId);
    if (queue !== undefined) {
      queue.push(waiting);
      return;
    }
    this.#queues.set(sessionId, [waiting]);
    const work = this.#drain(sessionId).finally(() => this.#busy.delete(work));
    this.#busy.add(work);
  }

  async #drain(sessionId: string): Promise<void> {
    // Wait for one microtask, so that requests that arrive in the same tick share a commit.
    await Promise.resolve();
    const queue = this.#queues.get(sessionId) ?? [];
    while (queue.length > 0) {
      const waiting = takeGroup(queue);
      const requests = waiting.map(({ request }) => request);
      const outcomes = await this.#write({ sessionId, requests });
      for (const [index, { settle }] of waiting.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined) settle(outcome);
      }
    }
    this.#queues.delete(sessionId);
  }

  async #write(group: Group): Promise<readonly Outcome[]> {
    try {
      const { outcomes, lanes } = await writeGroup(this.#context, group);
      this.#publish(lanes);
      return outcomes;
    } catch (error) {
      this.#context.cache.drop(group.sessionId);
      if (group.requests.length > 1 && !isTransient(error)) return this.#writeOneByOne(group);
      const failure = { status: "failed", error: storeErrorOf(error) } as const;
      return group.requests.map(() => failure);
    }
  }

  #publish(lanes: readonly CommittedLane[]): void {
    for (const { state, at } of lanes) {
      this.#context.cache.put(state);
      // Signal in a microtask: if a listener throws, the committed requests must not be rejected or repeated.
      queueMicrotask(() => this.#signal(state, at));
    }
  }

  /** Retries the requests one by one, so that a faulty one does not fail the others. */
  async #writeOneByOne(group: Group): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const request of group.requests) {
      outcomes.push(...(await this.#write({ sessionId: group.sessionId, requests: [request] })));
    }
    return outcomes;
  }
}

/**
 * Removes the next group of requests from the queue: at most `maxGroup` requests, which all need a lock or all need
 * none.
 */
function takeGroup(queue: Waiting[]): Waiting[] {
  const [first] = queue;
  if (first === undefined) return [];
  const end = queue.findIndex(
    ({ request }, index) => index >= maxGroup || needsLock(request) !== needsLock(first.request),
  );
  return queue.splice(0, end === -1 ? queue.length : end);
}

function needsLock(request: StoreRequest): boolean {
  return lockedCommands.has(request.command.type);
}

/**
 * Retries until the group is committed or fails for good. After a commit whose answer was lost, first looks up
 * whether it happened, because repeating it could commit twice.
 */
async function writeGroup(
  context: Context,
  group: Group,
): Promise<Extract<Attempt, { status: "written" }>> {
  const patience = startPatience(context.database.settings.unavailableAfter);
  const doubts: Doubt[] = [];
  let isLocked = group.requests.some(needsLock);
  let mayGuess = true;
  let conflicts = 0;
  for (;;) {
    try {
      const attempt = isLocked
        ? await writeLocked(context, { group, doubts })
        : await writeOptimistic(context, group, { mayGuess });
      if (attempt.status === "written") return attempt;
      if (attempt.status === "conflict") conflicts += 1;
      if (attempt.status === "unread") mayGuess = false;
      if (attempt.status === "needsLock" || conflicts >= maxConflicts) isLocked = true;
    } catch (error) {
      const cause = error instanceof CommitInDoubt ? error.cause : error;
      if (error instanceof CommitInDoubt) {
        doubts.push(error.doubt);
        isLocked = true;
      }
      if (!isTransient(cause) || !(await patience.wait())) throw cause;
    }
    context.cache.drop(group.sessionId);
  }
}
