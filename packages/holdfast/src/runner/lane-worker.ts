import type { Clock, Timer } from "../base/time.ts";
import { wantsNothing } from "../kernel/attention.ts";
import type { LaneState } from "../kernel/state.ts";
import type { StoreRequest, Store } from "../store/store.ts";
import type { Answer } from "../kernel/transaction.ts";
import { acceptAndStart } from "./accept-and-start.ts";
import type { Claim, Claimer, ClaimOutcome } from "./claim.ts";
import type { Execution } from "./execution.ts";
import { emptyNews } from "./lane-reader.ts";
import type { LaneReader } from "./lane-reader.ts";
import { openPlace } from "./place.ts";
import type { Place } from "./place.ts";
import type { Effect, Input } from "./scheduler/input.ts";
import { openScheduler } from "./scheduler/state.ts";
import type { SchedulerLimits, SchedulerState, Target } from "./scheduler/state.ts";
import { step } from "./scheduler/step.ts";
import type { WorkClaim } from "./work-execution.ts";

export interface LaneWorkerOptions {
  readonly store: Pick<Store, "execute">;
  readonly claimer: Claimer;
  readonly reader: LaneReader;
  readonly limits: SchedulerLimits;
  /** Poll interval: the longest delay if a signal is lost. */
  readonly pollEvery: number;
  readonly clock: Clock;
  readonly executeRun: (claim: Claim, place: Place) => Execution;
  readonly executeWork: (work: WorkClaim) => Execution;
  readonly onError: (error: unknown) => void;
}

/** A lane that this process has claimed. */
interface ClaimedLane {
  /** The slot of the run; null: an exclusive operation needs none. */
  readonly place: Place | null;
  readonly execute: () => Execution;
  /** Null until the scheduler lets the execution begin. */
  execution: Execution | null;
}

/** Executes the scheduler's effects and reports their outcomes to it. */
export class LaneWorker {
  readonly #options: LaneWorkerOptions;
  readonly #state: SchedulerState;
  readonly #claimed = new Map<string, ClaimedLane>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #inputs: Input[] = [];
  readonly #ready = Promise.withResolvers<void>();
  readonly #drained = Promise.withResolvers<void>();
  #isStepping = false;
  #poll: { readonly timer: Timer; readonly at: number } | null = null;

  constructor(options: LaneWorkerOptions) {
    this.#options = options;
    this.#state = openScheduler(options.limits);
  }

  /** Resolves when every run that earlier processes left behind was taken over or skipped. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  isExecuting(sessionId: string): boolean {
    return this.#executionOf(sessionId) !== null;
  }

  executions(): readonly Execution[] {
    return [...this.#claimed.values()].flatMap(({ execution }) => execution ?? []);
  }

  /** Passes an input to the scheduler and executes the effects. An input that arrives meanwhile is queued. */
  dispatch(input: Input): void {
    this.#inputs.push(input);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
        for (const effect of step(this.#state, next)) this.#perform(effect);
      }
    } finally {
      this.#isStepping = false;
    }
  }

  /**
   * Sends a prompt to an idle lane. The same commit may also start the prompt's run (decision 16). Passes its input to
   * the scheduler without the queue of `dispatch`, because the decision is needed now. No step is running at this time:
   * `dispatch` executes effects synchronously, and no effect sends a prompt.
   */
  accept(request: StoreRequest, lane: { sessionId: string; directory: string }): Promise<Answer> {
    const { sessionId, directory } = lane;
    const effects = step(this.#state, { type: "accept", sessionId, directory });
    const starts = effects.some((effect) => effect.type === "send" && effect.starts);
    for (const effect of effects) this.#perform(effect);
    if (!starts) return this.#options.store.execute(request);
    const { answer, claim } = acceptAndStart(request, {
      store: this.#options.store,
      prepared: this.#options.claimer.prepare(lane),
      isDraining: () => this.#state.mode === "draining",
      onError: this.#options.onError,
    });
    this.#track(this.#finishClaim(sessionId, claim.then(runOutcome)));
    return answer;
  }

  /**
   * After a crash, runs are retried one at a time: the next one waits until the current one has committed a step. Tells
   * the scheduler if that has happened (R3, S7).
   */
  checkGate(sessionId: string): void {
    if (this.#state.gate !== sessionId || !this.isExecuting(sessionId)) return;
    const check = async (): Promise<void> => {
      const hasStepped = await this.#options.reader.hasStepped(sessionId);
      if (hasStepped) this.dispatch({ type: "stepped", sessionId });
    };
    this.#track(check());
  }

  /** Resolves when all tasks of this worker, such as reading and claiming sessions, have finished. */
  async idle(): Promise<void> {
    this.#poll?.timer.cancel();
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    this.#poll?.timer.cancel();
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case "send":
        // `accept` reads this effect.
        return;
      case "claim":
        return this.#track(this.#claim(effect.target));
      case "scan":
        return this.#track(this.#scan(effect));
      case "look":
        return this.#track(this.#look(effect.sessionId));
      case "giveUp":
        return this.#track(this.#giveUp(effect.sessionId));
      case "begin":
        return this.#begin(effect.sessionId);
      case "resume":
        this.#claimed.get(effect.sessionId)?.place?.resume();
        return;
      case "giveBack":
        this.#options.claimer.giveBack(effect.sessionId);
        return;
      case "abandon":
        this.#executionOf(effect.sessionId)?.abandon();
        return;
      case "handOver": {
        const execution = this.#executionOf(effect.sessionId);
        if (effect.when === "now") execution?.handOver(handOverGrace);
        else execution?.handOverAsking(handOverGrace);
        return;
      }
      case "ready":
        this.#ready.resolve();
        return;
      case "drained":
        this.#drained.resolve();
    }
  }

  async #claim(target: Target): Promise<void> {
    const { sessionId } = target;
    const onLoading = (): void => this.dispatch({ type: "loading", sessionId });
    await this.#finishClaim(sessionId, this.#options.claimer.claim(target, onLoading));
  }

  async #finishClaim(sessionId: string, claiming: Promise<ClaimOutcome>): Promise<void> {
    const { onError, executeRun, executeWork } = this.#options;
    const outcome = await claiming.catch((error: unknown) => {
      onError(error);
      return { status: "unclaimed", why: "moved" } as const;
    });
    if (outcome.status === "unclaimed") {
      this.dispatch({ type: "unclaimed", sessionId, why: outcome.why });
    } else if (outcome.status === "loaded") this.dispatch({ type: "loaded", sessionId });
    else if (outcome.status === "work") {
      const execute = (): Execution => executeWork(outcome.work);
      this.#claimed.set(sessionId, { place: null, execute, execution: null });
      this.dispatch({ type: "claimed", sessionId, owner: outcome.owner, isRetry: false });
    } else {
      const { claim } = outcome;
      const place = openPlace((type) => this.dispatch({ type, sessionId }));
      const execute = (): Execution => executeRun(claim, place);
      this.#claimed.set(sessionId, { place, execute, execution: null });
      const { owner } = claim;
      this.dispatch({ type: "claimed", sessionId, owner, isRetry: isRetry(claim) });
    }
  }

  #begin(sessionId: string): void {
    const lane = this.#claimed.get(sessionId);
    if (lane === undefined) return;
    lane.execution = lane.execute();
    void this.#end(sessionId, lane.execution);
  }

  async #end(sessionId: string, execution: Execution): Promise<void> {
    let state: LaneState | null = null;
    try {
      state = await execution.done;
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#claimed.delete(sessionId);
      // After a lost run, `state` is stale: the run is still active in it, and its owner may be dead.
      const needsNothing = state !== null && state.active === null && wantsNothing(state);
      this.dispatch({ type: "ended", sessionId, needsNothing });
    }
  }

  #executionOf(sessionId: string): Execution | null {
    return this.#claimed.get(sessionId)?.execution ?? null;
  }

  async #scan(scan: Extract<Effect, { type: "scan" }>): Promise<void> {
    const { reader, pollEvery, onError } = this.#options;
    try {
      const { targets, due, isWhole, nextDueIn } = await reader.scan(scan);
      if (due.length > 0) this.#track(this.#tick(due));
      this.#pollIn(Math.min(pollEvery, Math.max(1, nextDueIn ?? pollEvery)));
      this.dispatch({ type: "scanned", targets, isWhole });
    } catch (error) {
      onError(error);
      this.#pollIn(pollEvery);
      this.dispatch({ type: "scanFailed" });
    }
  }

  async #tick(sessionIds: readonly string[]): Promise<void> {
    const { reader, onError } = this.#options;
    const tick = async (sessionId: string): Promise<boolean> => {
      try {
        return await reader.tick(sessionId);
      } catch (error) {
        // The next scan lists the lane again.
        onError(error);
        return false;
      }
    };
    const haveChanged = await Promise.all(sessionIds.map(tick));
    if (haveChanged.includes(true)) this.dispatch({ type: "ticked" });
  }

  /**
   * Polls after this time, or earlier if a poll is already planned: scans must not postpone the poll, because only the
   * poll retries lanes that could not be claimed (L3).
   */
  #pollIn(milliseconds: number): void {
    const { clock } = this.#options;
    const at = clock.monotonic() + milliseconds;
    if (this.#poll !== null && this.#poll.at <= at) return;
    this.#poll?.timer.cancel();
    this.#poll = null;
    if (this.#state.mode === "draining" || this.#state.mode === "drained") return;
    const timer = clock.after(milliseconds, () => {
      this.#poll = null;
      this.dispatch({ type: "poll" });
    });
    this.#poll = { timer, at };
  }

  async #look(sessionId: string): Promise<void> {
    const news = await this.#options.reader.look(sessionId).catch((error: unknown) => {
      // Only report the error: the next poll finds the lane again.
      this.#options.onError(error);
      return emptyNews(sessionId);
    });
    this.dispatch({ type: "looked", ...news });
  }

  async #giveUp(sessionId: string): Promise<void> {
    await this.#options.reader.giveUp(sessionId).catch(this.#options.onError);
    await this.#look(sessionId);
  }

  #track(task: Promise<void>): void {
    const tracked = task.catch(this.#options.onError).finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }
}

/** Milliseconds that a draining process waits for the agent before it hands the run over. */
const handOverGrace = 1_000;

function isRetry({ state }: Claim): boolean {
  return state.active?.kind === "run" && state.active.tries.total > 1;
}

function runOutcome(claim: Claim | null): ClaimOutcome {
  return claim === null ? { status: "unclaimed", why: "moved" } : { status: "run", claim };
}
