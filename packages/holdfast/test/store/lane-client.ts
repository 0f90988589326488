import assert from "node:assert/strict";
import type { CommandData, RunHandle } from "../../src/kernel/command.ts";
import type { Actor, LaneEvent, ToolStatus } from "../../src/kernel/event.ts";
import type { LedgerRow } from "../../src/kernel/ledger.ts";
import { activeRun } from "../../src/kernel/state.ts";
import type { LaneState, Run } from "../../src/kernel/state.ts";
import type { Answer, Done } from "../../src/kernel/transaction.ts";
import { makeBody } from "../../src/store/body.ts";
import type { Body, Store, StoreReader } from "../../src/store/store.ts";
import * as make from "../kernel/support/commands.ts";

/** Short names for the commands of one session, sent to a real store. */
export interface LaneClient {
  readonly sessionId: string;
  send(data: CommandData, bodies?: readonly Body[]): Promise<Answer>;
  create(fields?: make.Fields<"session.create">): Promise<Answer>;
  accept(promptId: string, fields?: AcceptFields): Promise<Answer>;
  start(runId: string, fields?: make.Fields<"run.start">): Promise<Answer>;
  boundary(handle?: RunHandle): Promise<Answer>;
  answer(calls?: readonly make.Call[], handle?: RunHandle): Promise<Answer>;
  startTool(callId: string, handle?: RunHandle): Promise<Answer>;
  endTool(callId: string, status?: Exclude<ToolStatus, "inDoubt">): Promise<Answer>;
  ask(askId: string, fields?: make.Fields<"ask.open">): Promise<Answer>;
  answerAsk(askId: string, verdict: "allow" | "deny"): Promise<Answer>;
  link(child: { sessionId: string; promptId: string }, fields?: LinkFields): Promise<Answer>;
  end(outcome?: Parameters<typeof make.endRun>[1], fields?: EndFields): Promise<Answer>;
  cancel(cancelId: string, scope?: make.ScopeInput): Promise<Answer>;
  takeover(fields?: Parameters<typeof make.takeover>[0]): Promise<Answer>;
  tick(): Promise<Answer>;
  hold(holdId: string, reason?: string): Promise<Answer>;
  release(holdId: string): Promise<Answer>;
  remove(): Promise<Answer>;
  /** The handle of the active run's owner. Keep an old one to simulate a former owner. */
  handle(): Promise<RunHandle>;
  run(): Promise<Run>;
  state(): Promise<LaneState>;
  events(): Promise<LaneEvent[]>;
  types(): Promise<LaneEvent["type"][]>;
  row(promptId: string): Promise<LedgerRow>;
}

/** `text` is stored as the prompt's body, under its hash. */
export type AcceptFields = Parameters<typeof make.accept>[1] & { readonly text?: string };
type LinkFields = make.Fields<"child.link">;
type EndFields = { readonly hold?: { retryAt: number | null }; readonly handle?: RunHandle };

export const person: Actor = { kind: "client", id: "person" };

export function openLane(store: Store, sessionId: string): LaneClient {
  const send = (data: CommandData, bodies: readonly Body[] = []): Promise<Answer> =>
    store.execute({ command: { sessionId, actor: person, ...data }, bodies });
  const state = async (): Promise<LaneState> => {
    const lane = await store.lane(sessionId);
    assert(lane !== null, `session ${sessionId} exists`);
    return lane;
  };
  const run = async (): Promise<Run> => {
    const active = activeRun(await state());
    assert(active !== null, "a run is active");
    return active;
  };
  const handle = async (): Promise<RunHandle> => {
    const { runId, attempt } = await run();
    return { runId, fence: (await state()).fence, attempt };
  };
  const events = (): Promise<LaneEvent[]> => readLog(store, sessionId);
  return {
    sessionId,
    send,
    create: (fields) => send(make.createSession(fields)),
    accept(promptId, fields = {}) {
      const { text = `text of ${promptId}`, ...rest } = fields;
      const body = makeBody(text);
      const sized = { body: body.hash, bytes: body.content.length };
      return send(make.accept(promptId, { ...sized, ...rest }), [body]);
    },
    start: (runId, fields) => send(make.startRun(runId, fields)),
    boundary: async (given) => send({ type: "run.boundary", handle: given ?? (await handle()) }),
    answer: async (calls, given) => {
      const body = makeBody("the answer");
      const command = make.answerStep(given ?? (await handle()), calls, { body: body.hash });
      return send(command, [body]);
    },
    startTool: async (callId, given) =>
      send({ type: "tool.start", handle: given ?? (await handle()), callId, body: null }),
    endTool: async (callId, status = "completed") => {
      const body = makeBody("the result");
      const command = { type: "tool.end", handle: await handle(), callId, status } as const;
      return send({ ...command, body: body.hash }, [body]);
    },
    ask: async (askId, fields) => {
      const body = makeBody("may it?");
      return send(make.openAsk(await handle(), askId, { body: body.hash, ...fields }), [body]);
    },
    answerAsk: (askId, verdict) => send({ type: "ask.answer", askId, verdict, body: null }),
    link: async (child, fields) => send(make.linkChild(await handle(), child, fields)),
    end: async (outcome, fields = {}) =>
      send(make.endRun(fields.handle ?? (await handle()), outcome, fields.hold ?? null)),
    cancel: (cancelId, scope) => send(make.cancel(cancelId, scope)),
    takeover: (fields) => send(make.takeover(fields)),
    tick: () => send({ type: "lane.tick" }),
    hold: (holdId, reason = "a break") => send({ type: "hold.place", holdId, reason }),
    release: (holdId) => send({ type: "hold.release", target: { kind: "hold", holdId } }),
    remove: () => send({ type: "session.delete" }),
    handle,
    run,
    state,
    events,
    types: async () => (await events()).map((event) => event.type),
    row: async (promptId) => {
      const row = await store.prompt(sessionId, promptId);
      assert(row !== null, `prompt ${promptId} is in the ledger`);
      return row;
    },
  };
}

/** A session's whole log, read page by page. */
export async function readLog(store: StoreReader, sessionId: string): Promise<LaneEvent[]> {
  const log: LaneEvent[] = [];
  for (;;) {
    const page = await store.events(sessionId, { after: log.at(-1)?.seq ?? null, limit: 500 });
    log.push(...page);
    if (page.length < 500) return log;
  }
}

/** The answer of a command that must not have been refused. */
export function done(answer: Answer): Done {
  assert(answer.status === "done", answer.status === "done" ? "" : answer.refusal.message);
  return answer;
}

/** "done", or the code of the refusal. */
export function verdict(answer: Answer): string {
  return answer.status === "done" ? "done" : answer.refusal.code;
}
