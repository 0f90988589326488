import assert from "node:assert/strict";
import type { Agent, AgentContext, Fact } from "../../../src/agent/agent.ts";
import type { CallRequest, UserMessage } from "../../../src/agent/message.ts";

/** One call of an agent's `run` that the test controls step by step. */
export interface Puppet {
  readonly context: AgentContext;
  /** Name of the agent that was called, which shows the process of the run. */
  readonly agent: string;
  /** Yields a fact. Resolves when the fact is committed; rejects if the run no longer accepts facts. */
  say(fact: Fact): Promise<void>;
  boundary(): Promise<readonly UserMessage[]>;
  answer(text: string, calls?: readonly CallRequest[]): Promise<void>;
  startTool(callId: string): Promise<void>;
  endTool(callId: string, output?: string): Promise<void>;
  /** Passes the boundary, answers, and ends. */
  finish(text?: string): Promise<void>;
  end(): void;
  fail(error: Error): void;
  /** Resolves when its signal has aborted. */
  readonly stopped: Promise<void>;
}

/** Agents whose runs wait until the test controls them. */
export interface Puppets {
  agent(name: string): Agent;
  /** The next run of a session, or the one that has begun already. Fails if no run begins within 60 s. */
  next(sessionId?: string): Promise<Puppet>;
  /** The prompts with which each run started, in order. */
  readonly begun: readonly string[];
  /** Ends all remaining runs of one agent, or of all agents for good. */
  dismiss(agent?: string): void;
}

export function createPuppets(): Puppets {
  const arrived: Puppet[] = [];
  const all = new Set<Puppet>();
  const begun: string[] = [];
  const waiting: Waiter[] = [];
  let dismissed = false;
  return {
    begun,
    agent: (name) => ({
      name,
      run(context) {
        const { puppet, facts } = createPuppet(context, name);
        begun.push(context.prompts[0]?.promptId ?? "");
        all.add(puppet);
        if (dismissed) puppet.end();
        const place = waiting.findIndex(({ sessionId }) => sessionId === context.sessionId);
        const [waiter] = place === -1 ? [] : waiting.splice(place, 1);
        clearTimeout(waiter?.timer);
        if (waiter === undefined) arrived.push(puppet);
        else waiter.resolve(puppet);
        return facts;
      },
    }),
    next(sessionId = "main") {
      const place = arrived.findIndex(({ context }) => context.sessionId === sessionId);
      const [puppet] = place === -1 ? [] : arrived.splice(place, 1);
      if (puppet !== undefined) return Promise.resolve(puppet);
      return new Promise((resolve, reject) => {
        const late = new Error(`waited 60 s for the next run of session ${sessionId}`);
        const timer = realSetTimeout(() => reject(late), 60_000).unref();
        waiting.push({ sessionId, resolve, timer });
      });
    },
    dismiss(agent) {
      if (agent === undefined) {
        dismissed = true;
        for (const { timer } of waiting) clearTimeout(timer);
      }
      for (const puppet of all) if (agent === undefined || puppet.agent === agent) puppet.end();
    },
  };
}

interface Waiter {
  readonly sessionId: string;
  readonly resolve: (puppet: Puppet) => void;
  readonly timer: NodeJS.Timeout;
}

// Taken before a test replaces it to move time by hand.
const realSetTimeout = globalThis.setTimeout;

type Move =
  | {
      readonly kind: "fact";
      readonly fact: Fact;
      readonly committed: PromiseWithResolvers<void>;
    }
  | { readonly kind: "end" }
  | { readonly kind: "fail"; readonly error: Error };

function createPuppet(
  context: AgentContext,
  agent: string,
): { puppet: Puppet; facts: AsyncIterable<Fact> } {
  const moves: Move[] = [];
  let wake = Promise.withResolvers<void>();
  let committing: PromiseWithResolvers<void> | null = null;
  let over = false;

  const push = (move: Move): void => {
    moves.push(move);
    wake.resolve();
  };
  const finish = (): IteratorResult<Fact> => {
    over = true;
    const gone = new Error("the run is over: nobody takes this fact");
    committing?.reject(gone);
    for (const move of moves) if (move.kind === "fact") move.committed.reject(gone);
    return { done: true, value: undefined };
  };
  const say = async (fact: Fact): Promise<void> => {
    if (over) throw new Error("the run is over: nobody takes this fact");
    const committed = Promise.withResolvers<void>();
    push({ kind: "fact", fact, committed });
    await committed.promise;
  };
  const iterator: AsyncIterator<Fact> = {
    async next() {
      // The request for the next fact shows that the last one is committed.
      committing?.resolve();
      committing = null;
      while (moves.length === 0) {
        wake = Promise.withResolvers();
        await wake.promise;
      }
      const move = moves.shift();
      assert(move !== undefined);
      if (move.kind === "end") return finish();
      if (move.kind === "fail") {
        finish();
        throw move.error;
      }
      committing = move.committed;
      return { done: false, value: move.fact };
    },
    async return() {
      return finish();
    },
  };
  const puppet: Puppet = {
    context,
    agent,
    say,
    boundary: () => context.boundary(),
    answer: (text, calls = []) => say({ type: "answer", text, calls }),
    startTool: (callId) => say({ type: "toolStart", callId }),
    endTool: (callId, output = "done") =>
      say({ type: "toolEnd", callId, status: "completed", output }),
    async finish(text = "the answer") {
      await context.boundary();
      await say({ type: "answer", text });
      push({ kind: "end" });
    },
    end: () => push({ kind: "end" }),
    fail: (error) => push({ kind: "fail", error }),
    stopped: new Promise((resolve) => {
      if (context.signal.aborted) resolve();
      else context.signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  };
  return { puppet, facts: { [Symbol.asyncIterator]: () => iterator } };
}

/** A tool call that must not be repeated. */
export function call(callId: string): CallRequest {
  return { callId, name: "write", input: { callId }, repeatable: false };
}

/** A tool call that may be repeated. */
export function repeatable(callId: string): CallRequest {
  return { callId, name: "read", input: { callId }, repeatable: true };
}
