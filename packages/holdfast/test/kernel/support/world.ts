import assert from "node:assert/strict";
import type { Command, CommandData, RunHandle } from "../../../src/kernel/command.ts";
import type { Actor, LaneEvent, ToolStatus } from "../../../src/kernel/event.ts";
import { attention } from "../../../src/kernel/attention.ts";
import type { AskRow, LedgerRow } from "../../../src/kernel/ledger.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState, Run } from "../../../src/kernel/state.ts";
import type { Answer, Done } from "../../../src/kernel/transaction.ts";
import * as make from "./commands.ts";
import { createMemoryStore, transact } from "./memory-store.ts";
import type { MemoryStore, StoredLane } from "./memory-store.ts";

/** A store, a manual clock, live processes, and short names for commands on its lanes. */
export interface World extends Session {
  readonly store: MemoryStore;
  readonly clock: { now: number };
  /** The same short names for another session, which `create` makes. */
  session(sessionId: string): Session;
  /** Gives the process a lease from now on. */
  join(nodeId: string): void;
  /** Ends the lease of the process now: its runs can be taken over. */
  lose(nodeId: string): void;
}

export interface Session {
  readonly sessionId: string;
  send(data: CommandData, actor?: Actor): Answer;
  create(fields?: make.Fields<"session.create">): Answer;
  accept(promptId: string, fields?: Parameters<typeof make.accept>[1]): Answer;
  /** Starts a run for the first item of the queue, under the given id or a generated one. */
  start(runId?: string, fields?: make.Fields<"run.start">): Answer;
  boundary(handle?: RunHandle): Answer;
  answer(calls?: readonly make.Call[], fields?: make.Fields<"step.answer">): Answer;
  startTool(callId: string, handle?: RunHandle): Answer;
  endTool(callId: string, status?: Exclude<ToolStatus, "inDoubt">, handle?: RunHandle): Answer;
  ask(askId: string, fields?: make.Fields<"ask.open">): Answer;
  answerAsk(askId: string, verdict?: "allow" | "deny"): Answer;
  link(child: { sessionId: string; promptId: string }, fields?: make.Fields<"child.link">): Answer;
  end(outcome?: Parameters<typeof make.endRun>[1], hold?: { retryAt: number | null }): Answer;
  handOver(handle?: RunHandle): Answer;
  cancel(cancelId: string, scope?: make.ScopeInput, reason?: "force"): Answer;
  takeover(fields?: Parameters<typeof make.takeover>[0]): Answer;
  /** Advances the clock and sends a tick. */
  tick(milliseconds?: number): Answer;
  /** The handle of the active run's owner. Keep an old one to simulate a former owner. */
  handle(): RunHandle;
  state(): LaneState;
  run(): Run;
  /** The log, from session.created on. */
  events(): readonly LaneEvent[];
  types(): readonly LaneEvent["type"][];
  row(promptId: string): LedgerRow;
  askRow(askId: string): AskRow;
  /** The ids that wait, in order. */
  queue(): string[];
  ready(): ReturnType<typeof attention>["ready"];
}

export const person: Actor = { kind: "client", id: "person" };

/** A world with one open session and the processes node1 and node2. */
export function createWorld(): World {
  const store = createMemoryStore();
  const clock = { now: 1000 };
  const session = (sessionId: string): Session => openSession({ store, clock, sessionId });
  const world: World = {
    ...session("main"),
    store,
    clock,
    session,
    join: (nodeId) => void store.leases.set(nodeId, { alive: true, lostAt: null }),
    lose: (nodeId) => void store.leases.set(nodeId, { alive: false, lostAt: clock.now }),
  };
  world.join("node1");
  world.join("node2");
  done(world.create());
  return world;
}

/** "done", or the code of the refusal. */
export function verdict(answer: Answer): string {
  return answer.status === "done" ? "done" : answer.refusal.code;
}

/** The answer of a command that must not have been refused. */
export function done(answer: Answer): Done {
  assert(answer.status === "done", answer.status === "done" ? "" : answer.refusal.message);
  return answer;
}

/** The data of an event without its envelope. */
export function withoutEnvelope(event: LaneEvent): Record<string, unknown> {
  const envelope = new Set(["sessionId", "seq", "at", "actor", "version"]);
  return Object.fromEntries(Object.entries(event).filter(([name]) => !envelope.has(name)));
}

function openSession(place: {
  store: MemoryStore;
  clock: { now: number };
  sessionId: string;
}): Session {
  const { store, clock, sessionId } = place;
  const stored = (): StoredLane => {
    const lane = store.lanes.get(sessionId);
    assert(lane !== undefined, `session ${sessionId} exists`);
    return lane;
  };
  const state = (): LaneState => stored().state;
  const run = (): Run => {
    const active = activeRun(state());
    assert(active !== null, "a run is active");
    return active;
  };
  const handle = (): RunHandle => {
    const { runId, attempt } = run();
    return { runId, fence: state().fence, attempt };
  };
  const send = (data: CommandData, actor: Actor = person): Answer => {
    const command: Command = { sessionId, actor, at: clock.now, ...data };
    return transact(store, command);
  };
  return {
    sessionId,
    send,
    create: (fields) => send(make.createSession(fields)),
    accept: (promptId, fields) => send(make.accept(promptId, fields)),
    start: (runId, fields) => send(make.startRun(runId ?? `run${state().seq}`, fields)),
    boundary: (given) => send({ type: "run.boundary", handle: given ?? handle() }),
    answer: (calls, fields) => send(make.answerStep(handle(), calls, fields)),
    startTool: (callId, given) =>
      send({ type: "tool.start", handle: given ?? handle(), callId, body: null }),
    endTool: (callId, status = "completed", given) =>
      send({ type: "tool.end", handle: given ?? handle(), callId, status, body: "result" }),
    ask: (askId, fields) => send(make.openAsk(handle(), askId, fields)),
    answerAsk: (askId, chosen = "allow") =>
      send({ type: "ask.answer", askId, verdict: chosen, body: null }),
    link: (child, fields) => send(make.linkChild(handle(), child, fields)),
    end: (outcome, hold) => send(make.endRun(handle(), outcome, hold ?? null)),
    handOver: (given) => send({ type: "run.handOver", handle: given ?? handle() }),
    cancel: (cancelId, scope, reason) => send(make.cancel(cancelId, scope, reason ?? null)),
    takeover: (fields) => send(make.takeover(fields)),
    tick: (milliseconds = 0) => {
      clock.now += milliseconds;
      return send({ type: "lane.tick" });
    },
    handle,
    state,
    run,
    events: () => stored().log,
    types: () => stored().log.map((event) => event.type),
    row: (promptId) => {
      const row = stored().prompts.get(promptId);
      assert(row !== undefined, `prompt ${promptId} is in the ledger`);
      return row;
    },
    askRow: (askId) => {
      const row = stored().asks.get(askId);
      assert(row !== undefined, `ask ${askId} is known`);
      return row;
    },
    queue: () =>
      state().queue.map((item) => (item.kind === "prompt" ? item.promptId : item.workId)),
    ready: () => attention(state()).ready,
  };
}
