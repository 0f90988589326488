import type { AgentContext, Fact } from "../agent.ts";
import type { Permissions } from "../coding/policy.ts";
import { RunLost } from "../run-lost.ts";
import { isDraft, outputOf, resultOf, viewCall } from "./call-view.ts";
import type { ForeignSession, TurnEvent } from "./foreign-session.ts";
import { newCall } from "./open-call.ts";
import type { OpenCall, PermissionEvent } from "./open-call.ts";
import { askFor } from "./permission-ask.ts";
import { describeEnd, isSuccess } from "./turn-end.ts";
import type { TurnQueue } from "./turn-queue.ts";
import { TurnSteers } from "./turn-steers.ts";
import type { SteerOptions } from "./turn-steers.ts";
import { TurnSteps } from "./turn-steps.ts";
import { mergeCall } from "./updates.ts";
import type { CallUpdate, Update } from "./updates.ts";

export interface TurnOptions {
  readonly context: AgentContext;
  readonly session: ForeignSession;
  readonly permissions: Permissions;
  readonly agent: string;
  /** Id of the active tool call that represents this turn in the log (H2). */
  readonly turnId: string;
  readonly blocks: readonly object[];
  /** Milliseconds that the agent has to stop after a cancel before its process is terminated (H5). */
  readonly grace: number;
  /** Total cost of the agent's session before this turn. */
  readonly cost: number;
  /**
   * Called when the agent has ended its turn, before the last answer is committed. That commit can complete the run,
   * after which no code of the turn is executed.
   */
  readonly onEnd: () => Promise<void>;
  readonly steerBlocks: SteerOptions["steerBlocks"];
}

/** The way in which a turn ended. By then, everything about the turn is committed. */
export type TurnEnd =
  | {
      readonly type: "end";
      readonly stopReason: string;
      readonly acted: boolean;
      /** True if a permission request of the turn was denied. */
      readonly denied: boolean;
    }
  | { readonly type: "failed"; readonly error: Error }
  | { readonly type: "gone"; readonly reason: string; readonly acted: boolean }
  | { readonly type: "stopped" };

/**
 * Runs one turn of the agent: sends the prompt and yields the agent's messages as facts, which the runtime commits. A
 * tool call is committed before its permission is decided. The start of an allowed call is committed before the agent
 * learns that the call may start (H4).
 */
export async function* playTurn(options: TurnOptions): AsyncGenerator<Fact, TurnEnd> {
  const { context, session } = options;
  if (!context.mayAct()) return { type: "stopped" };
  const queue = session.prompt(options.turnId, options.blocks);
  const turn = new Turn(options, queue);
  try {
    turn.listen();
    for (;;) {
      const event = await queue.next();
      const end = yield* turn.take(event);
      if (end !== null) return end;
    }
  } finally {
    turn.leave();
  }
}

/** The state of one turn. Listens for the run's stop signal and for steered prompts. */
class Turn {
  readonly #options: TurnOptions;
  readonly #queue: TurnQueue<TurnEvent>;
  readonly #steps: TurnSteps;
  readonly #calls = new Map<string, OpenCall>();
  /** Calls that are not recorded yet, because the agent has not sent their input. */
  readonly #drafts = new Map<string, CallUpdate>();
  readonly #waiting = new Set<PermissionEvent>();
  readonly #steers: TurnSteers;
  #stops: (() => void)[] = [];
  #isOver = false;

  constructor(options: TurnOptions, queue: TurnQueue<TurnEvent>) {
    this.#options = options;
    this.#queue = queue;
    this.#steps = new TurnSteps(options);
    const onCall = (call: OpenCall): void => void this.#calls.set(call.callId, call);
    this.#steers = new TurnSteers({ ...options, queue, steps: this.#steps, onCall });
  }

  /** Starts listening for the run's stop signal and for steered prompts. */
  listen(): void {
    const { context, session } = this.#options;
    const stop = (): void => this.#cancel();
    context.signal.addEventListener("abort", stop, { once: true });
    this.#stops.push(() => context.signal.removeEventListener("abort", stop));
    if (context.signal.aborted) stop();
    if (session.features.steers) void this.#steers.follow(() => this.#isOver);
  }

  /**
   * Stops listening to the agent. If the agent's turn is not over, cancels the turn, and ends the agent's process if
   * the agent is still busy after the grace period (H5).
   */
  leave(): void {
    if (!this.#isOver) this.#cancel();
    this.#isOver = true;
    for (const stop of this.#stops) stop();
  }

  #cancel(): void {
    const { context, session, grace } = this.#options;
    if (!session.isBusy(this.#queue)) return;
    if (context.signal.reason instanceof RunLost) {
      // Another process may already continue the run, so the agent gets no time (L5).
      void session.close("now");
      return;
    }
    for (const request of this.#waiting) request.answer("cancel");
    this.#waiting.clear();
    session.cancel();
    const timer = setTimeout(() => {
      if (session.isBusy(this.#queue)) void session.close("now");
    }, grace);
    timer.unref();
    this.#stops.push(() => {
      if (!session.isBusy(this.#queue)) clearTimeout(timer);
    });
  }

  /** Handles one event. Returns the end of the turn; null if the turn continues. */
  async *take(event: TurnEvent): AsyncGenerator<Fact, TurnEnd | null> {
    switch (event.type) {
      case "update":
        yield* this.#update(event.update);
        return null;
      case "permission":
        yield* this.#request(event);
        return null;
      case "note": {
        const facts = event.handle();
        if (facts !== null) yield* facts;
        return null;
      }
      case "end":
      case "failed":
      case "gone":
        this.#isOver = true;
        return yield* this.#end(event);
    }
  }

  async *#update(update: Update): AsyncGenerator<Fact> {
    switch (update.type) {
      case "text":
      case "thought":
        yield* this.#steps.say(update.type, update.text, { isEnding: await this.#isEnding() });
        return;
      case "call":
        yield* this.#call(update.call);
        return;
      case "plan":
        yield* this.#steps.plan(update.items);
        return;
      case "usage":
        if (update.context !== null) this.#steps.setContext(update.context);
        if (update.cost !== null) yield* this.#steps.charge(update.cost);
        return;
      case "user":
        return;
    }
  }

  /** True if no step is open and the end of the turn has already arrived, which is common for a short answer. */
  async #isEnding(): Promise<boolean> {
    if (this.#steps.isOpen) return false;
    await new Promise((resolve) => setImmediate(resolve));
    return this.#queue.has(({ type }) => type === "end");
  }

  async *#call(update: CallUpdate): AsyncGenerator<Fact> {
    const draft = mergeCall(this.#draft(update.id), update);
    if (!this.#calls.has(update.id) && isDraft(draft)) {
      this.#drafts.set(update.id, draft);
      return;
    }
    const call = yield* this.#known(update);
    if (call === null) return;
    call.known = mergeCall(call.known, update);
    const { status } = call.known;
    const output = outputOf(call.known);
    if (status === "completed" || status === "failed") {
      yield* this.#endCall(call, status);
    } else if (output.length > call.shown) {
      const text = output.slice(call.shown);
      call.shown = output.length;
      yield { type: "delta", kind: "tool", callId: call.callId, text };
    }
  }

  /**
   * Returns the tool call that an update belongs to. If the call is new, commits the call first. Null: the call has
   * ended, or the call is new but the run is stopping.
   */
  async *#known(update: CallUpdate): AsyncGenerator<Fact, OpenCall | null> {
    const found = this.#calls.get(update.id);
    if (found !== undefined) {
      // Ignore updates of a call that has ended, because a call has only one result (T1).
      return found.ended ? null : found;
    }
    if (this.#steps.isStopping) return null;
    const callId = this.#steps.newId();
    const draft = this.#draft(update.id);
    this.#drafts.delete(update.id);
    const call = newCall(callId, draft);
    this.#calls.set(update.id, call);
    const view = viewCall(mergeCall(draft, update));
    yield* this.#steps.answer([{ callId, ...view, repeatable: false, seen: true }]);
    return call;
  }

  #draft(id: string): CallUpdate {
    return this.#drafts.get(id) ?? { id };
  }

  async *#endCall(call: OpenCall, status: "completed" | "failed"): AsyncGenerator<Fact> {
    call.ended = true;
    const { callId, gate } = call;
    const { output, extra } = resultOf(call.known, this.#options.context.directory);
    const isEarly = status === "completed" && gate !== "open";
    if (gate === "denied" || isEarly) {
      const words = isEarly
        ? `The agent ended this call before its permission was decided.\n${output}`
        : output;
      yield {
        type: "toolEnd",
        callId,
        status: isEarly ? "failed" : "denied",
        output: words,
        extra,
      };
    } else yield { type: "toolEnd", callId, status, output, extra };
  }

  async *#request(request: PermissionEvent): AsyncGenerator<Fact> {
    this.#forgetWithdrawn(request.call.id);
    const call = yield* this.#known(request.call);
    // Deny a request if the agent has one open for the same call, because only one answer can start the call.
    if (call === null || call.asking !== null) {
      request.answer(this.#steps.isStopping ? "cancel" : "deny");
      return;
    }
    call.known = mergeCall(call.known, request.call);
    call.asks += 1;
    this.#waiting.add(request);
    // Deny the call if the agent offers no option to allow only this call (H4).
    if (!request.canAllow) return yield* this.#settle(request, call, "deny");
    const { context, permissions, agent } = this.#options;
    const ask = await askFor(
      { callId: call.callId, number: call.asks, started: call.started, known: call.known },
      { context, permissions, agent },
    );
    if (ask.type === "decided") {
      yield* this.#settle(request, call, ask.verdict);
      return;
    }
    call.asking = request;
    call.gate = "asking";
    const { signal } = request;
    const withdraw = (): void =>
      this.#queue.push({ type: "note", handle: () => this.#withdraw(request, call) });
    signal.addEventListener("abort", withdraw, { once: true });
    if (signal.aborted) withdraw();
    // Do not wait here, so that other messages of the agent are handled until a person answers.
    ask.answer().then(
      (verdict) =>
        this.#queue.push({ type: "note", handle: () => this.#settle(request, call, verdict) }),
      (error: unknown) =>
        this.#queue.push({ type: "note", handle: () => this.#unanswered(request, call, error) }),
    );
  }

  /** Commits the start of an allowed call, then answers the agent (H4). */
  async *#settle(
    request: PermissionEvent,
    call: OpenCall,
    verdict: "allow" | "deny",
  ): AsyncGenerator<Fact> {
    if (!this.#waiting.delete(request)) return;
    const { context, agent } = this.#options;
    call.asking = null;
    call.gate = verdict === "allow" ? "open" : "denied";
    if (verdict === "allow" && !call.started) {
      call.started = true;
      const summary = `${agent}: ${call.known.title ?? "an action"}`;
      yield { type: "toolStart", callId: call.callId, intent: { summary, files: [] } };
    }
    request.answer(verdict === "allow" && !context.mayAct() ? "cancel" : verdict);
  }

  /**
   * Handles a permission request that the agent has withdrawn. The end of the call also withdraws its ask. A call that
   * has started continues, and its ask is withdrawn when the call ends.
   */
  async *#withdraw(request: PermissionEvent, call: OpenCall): AsyncGenerator<Fact> {
    if (!this.#waiting.delete(request)) return;
    call.asking = null;
    request.answer("cancel");
    if (call.ended) return;
    if (call.started) {
      call.gate = "open";
      return;
    }
    call.ended = true;
    call.withdrawn = true;
    const output = "The agent withdrew its permission request.";
    yield { type: "toolEnd", callId: call.callId, status: "interrupted", output };
  }

  /** Forgets a call whose request was withdrawn, so that a new request for it is recorded as a new call. */
  #forgetWithdrawn(id: string): void {
    if (this.#calls.get(id)?.withdrawn === true) this.#calls.delete(id);
  }

  #unanswered(request: PermissionEvent, call: OpenCall, error: unknown): null {
    if (!this.#waiting.delete(request)) return null;
    call.asking = null;
    request.answer("cancel");
    // This error is expected if the tool call has ended or the run is stopping: then the permission request gets no
    // answer.
    if (!call.ended && !this.#steps.isStopping) throw error;
    return null;
  }

  /** Commits the rest of the turn: its text, its open calls, then the result of the turn itself. */
  async *#end(
    event: Extract<TurnEvent, { type: "end" | "failed" | "gone" }>,
  ): AsyncGenerator<Fact, TurnEnd> {
    const { turnId, onEnd } = this.#options;
    for (const draft of this.#drafts.values()) yield* this.#known(draft);
    const acted = this.#calls.size > 0;
    await onEnd();
    if (event.type === "end" && event.usage !== null) this.#steps.use(event.usage);
    if (event.type === "end") yield* this.#steers.takeLast();
    for (const call of this.#calls.values()) {
      if (!call.ended) yield this.#cutOff(call, event);
    }
    if (this.#steps.isStopping) {
      yield { type: "toolEnd", callId: turnId, status: "interrupted", output: "" };
      if (this.#steps.isOpen) yield* this.#steps.answer([], { interrupted: true });
      return { type: "stopped" };
    }
    const [status, output] = describeEnd(event);
    const result = { callId: turnId, status, output };
    if (event.type === "end") {
      const { stopReason } = event;
      yield* this.#steps.end(result, { last: isSuccess(stopReason) });
      const denied = this.#calls.values().some(({ gate }) => gate === "denied");
      return { type: "end", stopReason, acted, denied };
    }
    if (this.#steps.hasText) yield* this.#steps.answer([]);
    yield { type: "toolEnd", ...result };
    return event.type === "gone" ? { ...event, acted } : event;
  }

  /**
   * Builds the result of a call for which the agent sent no result. Its status is `inDoubt` if it is unknown whether the
   * call took effect: it may have run when the agent's process ended (H4), or it is a steered prompt without an answer
   * (H6).
   */
  #cutOff(call: OpenCall, { type }: Pick<TurnEvent, "type">): Fact {
    call.ended = true;
    const mayHaveActed = type === "gone" && (call.gate === "open" || call.started);
    const isInDoubt = mayHaveActed || this.#steers.isUnanswered(call);
    const output = type === "gone" ? "" : "The agent ended its turn without a result of this call.";
    const status = isInDoubt ? "inDoubt" : "interrupted";
    return { type: "toolEnd", callId: call.callId, status, output };
  }
}
