import type { AcceptCommand, CommandData, RunHandle } from "../../../src/kernel/command.ts";
import type { Delivery } from "../../../src/kernel/event.ts";
import { sessionModes } from "../../../src/kernel/state.ts";
import * as make from "../support/commands.ts";
import { advance } from "./advance.ts";
import { findPrompt, runOf } from "./records.ts";
import type { Lane, Model } from "./records.ts";

// Converts plain numbers into commands that fit the current state of the model. fast-check draws and shrinks the
// numbers, so a failing sequence stays meaningful if a command is removed.

export interface Choice {
  readonly op: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export interface Chooser {
  readonly model: Model;
  /** All handles of each run. The last one belongs to the current owner, earlier ones to former owners. */
  readonly handles: Map<string, RunHandle[]>;
  /** Accepts that were sent, to send them again. */
  readonly sent: Map<string, AcceptCommand[]>;
  readonly count: { ids: number; nodes: number; children: number };
}

export interface Chosen {
  readonly sessionId: string;
  readonly data: CommandData;
}

export const sessionIds = ["s0", "s1", "s2"];

export function choose(chooser: Chooser, choice: Choice): Chosen | null {
  const option = pick(options, choice.op);
  const sessionId = pick(sessionIds, choice.a);
  const lane = chooser.model.lanes.get(sessionId);
  if (lane === undefined) {
    const budget = choice.c % 6 === 1 ? { tokens: null, cost: choice.c % 20 } : null;
    const onBudget = choice.c % 12 === 1 ? "ask" : "fail";
    return { sessionId, data: make.createSession({ budget, onBudget }) };
  }
  const data = option?.(chooser, lane, choice) ?? null;
  return data === null ? null : { sessionId, data };
}

type Option = (chooser: Chooser, lane: Lane, choice: Choice) => CommandData | null;

const weighted: [number, Option][] = [
  [14, accept],
  [60, advanceLane],
  [3, acceptAgain],
  [3, (chooser, _, { b, c }) => make.startRun(fresh(chooser, "r"), startFields(chooser, b, c))],
  [4, withHandle((handle) => ({ type: "run.boundary", handle }))],
  [4, withCall(boundaryWithin)],
  [4, withHandle(answer)],
  [3, withCall((handle, callId) => ({ type: "tool.start", handle, callId, body: null }))],
  [3, withCall(endTool)],
  [3, openAsk],
  [2, answerAsk],
  [4, withHandle(end)],
  [1, withHandle((handle) => ({ type: "run.handOver", handle }))],
  [6, link],
  [5, acceptChild],
  [1, settleChild],
  [4, cancel],
  [2, withPrompt((promptId, lane, { c }) => editOf(lane, promptId, c))],
  [2, move],
  [1, withPrompt((promptId) => ({ type: "prompt.promote", promptId }))],
  [1, (_, __, { c }) => ({ type: "hold.place", holdId: `h${c % 2}`, reason: "wait" })],
  [2, releaseHold],
  [2, queueWork],
  [2, startWork],
  [2, endWork],
  [2, rename],
  [2, (_, __, { c }) => ({ type: "session.archive", archived: c % 3 > 0 })],
  [1, (_, __, { c }) => ({ type: "session.setMode", mode: pick(sessionModes, c) })],
  [1, (_, __, { c }) => ({ type: "session.setAgent", agent: pick([null, "planner"], c) })],
  [3, takeover],
  [4, () => ({ type: "lane.tick" })],
];

/** Separate, because a delete ends the session. */
export function deleteSession(): CommandData {
  return { type: "session.delete" };
}

const options: Option[] = weighted.flatMap(([weight, option]) =>
  Array.from({ length: weight }, () => option),
);

export const optionCount = options.length;

function pick<T>(list: readonly T[], number: number): T {
  const item = list[number % list.length];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

function fresh(chooser: Chooser, prefix: string): string {
  chooser.count.ids += 1;
  return `${prefix}${chooser.count.ids}`;
}

function advanceLane(chooser: Chooser, lane: Lane, { c }: Choice): CommandData | null {
  const draw = { number: c, fresh: (prefix: string) => fresh(chooser, prefix) };
  return advance(chooser.model, lane, draw);
}

function accept(chooser: Chooser, lane: Lane, { b, c }: Choice): CommandData {
  const { now } = chooser.model;
  const delivery = pick<Delivery>(
    ["queue", "queue", "queue", "steer", "steer", "interrupt", "ifIdle"],
    b,
  );
  const reply = delivery !== "queue" || c % 4 > 0;
  const active = runOf(lane)?.id ?? "r0";
  const command = make.accept(fresh(chooser, "p"), {
    delivery,
    reply,
    expectedRunId:
      delivery === "steer" && c % 3 === 0 ? pick([active, active, "r0"], c >> 2) : null,
    expiresAt: c % 5 === 0 ? now + 1 + (c % 3000) : null,
    maxRunTime: c % 7 === 0 ? c % 4000 : null,
    budget: c % 12 < 3 ? { tokens: c % 30, cost: null } : null,
    onBudget: c % 12 === 1 ? "fail" : "ask",
    bytes: c % 31 === 0 ? 2000 : 10,
    limits: {
      maxQueue: c % 11 === 0 ? 3 : 1000,
      maxBytes: 1000,
      draining: c % 29 === 0,
    },
  });
  const sent = chooser.sent.get(lane.id) ?? [];
  chooser.sent.set(lane.id, [...sent, command]);
  return command;
}

/** The same id with the same content, or with another. */
function acceptAgain(chooser: Chooser, lane: Lane, { b, c }: Choice): CommandData | null {
  const sent = chooser.sent.get(lane.id) ?? [];
  if (sent.length === 0) return null;
  const command = pick(sent, b);
  return c % 3 === 0 ? { ...command, contentHash: "other" } : command;
}

function startFields(chooser: Chooser, b: number, c: number): make.Fields<"run.start"> {
  const owner = pick([...chooser.model.alive], b);
  const budget = c % 3 === 1 ? { tokens: c % 20, cost: c % 5 } : null;
  const opensStep = b % 2 === 0;
  const onBudget = c % 6 === 1 ? "ask" : "fail";
  const askTime = c % 5 === 0 ? 500 : null;
  const maxSteps = c % 4 === 0 ? 2 : 100;
  return { owner, maxSteps, stopGrace: 1000, budget, onBudget, askTime, opensStep };
}

function withHandle(
  build: (handle: RunHandle, lane: Lane, choice: Choice, chooser: Chooser) => CommandData | null,
): Option {
  return (chooser, lane, choice) => {
    const handles = chooser.handles.get(lane.id) ?? [];
    if (handles.length === 0) return null;
    const old = choice.b % 8 === 0;
    const handle = old ? pick(handles, choice.c) : handles.at(-1);
    return handle === undefined ? null : build(handle, lane, choice, chooser);
  };
}

function withCall(
  build: (handle: RunHandle, callId: string, choice: Choice, lane: Lane) => CommandData,
): Option {
  return withHandle((handle, lane, choice) => {
    const calls = runOf(lane)?.calls ?? [];
    const callId = calls.length === 0 ? "c0" : pick(calls, choice.c).id;
    return build(handle, callId, choice, lane);
  });
}

function withPrompt(build: (promptId: string, lane: Lane, choice: Choice) => CommandData): Option {
  return (_, lane, choice) => build(somePrompt(lane, choice), lane, choice);
}

/** Mostly a waiting prompt; sometimes one that has started, or does not exist. */
function somePrompt(lane: Lane, { b, c }: Choice): string {
  const waiting = lane.queue.filter((item) => item.kind === "prompt");
  if (c % 5 > 0 && waiting.length > 0) return pick(waiting, b).id;
  return lane.prompts.length === 0 ? "p0" : pick(lane.prompts, b).id;
}

function answer(handle: RunHandle, _: Lane, { c }: Choice, chooser: Chooser): CommandData {
  const calls = Array.from({ length: c % 3 }, (__, index) => ({
    callId: fresh(chooser, "c"),
    repeatable: (c + index) % 2 === 0,
    ...seenOf(c + index),
  }));
  const usage = { inputTokens: c % 10, outputTokens: c % 3, cost: 1 };
  const completes = c % 5 < 2 ? { result: null } : null;
  return make.answerStep(handle, calls, { usage, interrupted: c % 6 === 0, completes });
}

/** Some calls are those of a hosted agent. */
function seenOf(number: number): { seen?: true; repeatable?: false } {
  return number % 4 === 0 ? { seen: true, repeatable: false } : {};
}

/** A hosted agent's next step within a call, sometimes with a steer that the agent has received. */
function boundaryWithin(handle: RunHandle, within: string, { c }: Choice, lane: Lane): CommandData {
  const waiting = lane.queue.flatMap((item) => (item.kind === "prompt" ? [item.id] : []));
  const takes = c % 3 === 0 ? waiting.slice(0, 1) : [];
  return { type: "run.boundary", handle, within, takes };
}

function endTool(handle: RunHandle, callId: string, { b }: Choice): CommandData {
  const status = pick(
    ["completed", "completed", "failed", "denied", "interrupted", "inDoubt"] as const,
    b,
  );
  return { type: "tool.end", handle, callId, status, body: null };
}

function openAsk(chooser: Chooser, lane: Lane, choice: Choice): CommandData | null {
  const { c } = choice;
  const calls = runOf(lane)?.calls ?? [];
  const callId = c % 4 === 0 || calls.length === 0 ? null : pick(calls, c).id;
  const known = [...lane.asks.keys()];
  const askId = c % 5 === 0 && known.length > 0 ? pick(known, c) : fresh(chooser, "a");
  const expiresAt = c % 3 === 0 ? chooser.model.now + (c % 2000) : null;
  return withHandle((handle) => make.openAsk(handle, askId, { callId, expiresAt }))(
    chooser,
    lane,
    choice,
  );
}

function answerAsk(_: Chooser, lane: Lane, { b, c }: Choice): CommandData {
  const open = runOf(lane)?.asks ?? [];
  const known = c % 4 > 0 && open.length > 0 ? open : [...lane.asks.values()];
  const askId = known.length === 0 ? "a0" : pick(known, b).id;
  return { type: "ask.answer", askId, verdict: c % 3 === 0 ? "deny" : "allow", body: null };
}

function end(handle: RunHandle, _: Lane, { c }: Choice, chooser: Chooser): CommandData {
  if (c % 3 > 0) return make.endRun(handle);
  if (c % 2 > 0) return make.endRun(handle, { status: "failed", reason: "agentError" });
  const retryAt = c % 4 === 0 ? chooser.model.now + 1000 : null;
  return make.endRun(handle, { status: "failed", reason: "badKey" }, { retryAt });
}

function link(chooser: Chooser, lane: Lane, choice: Choice): CommandData | null {
  const { c } = choice;
  const others = sessionIds.filter((id) => id !== lane.id || c % 9 === 0);
  const sessionId = pick(others, c);
  const create = c % 2 === 0 ? { contentHash: "created", directory: "/project" } : null;
  if (create === null && !chooser.model.lanes.has(sessionId)) return null;
  const child = { sessionId, promptId: childPromptId(chooser, c) };
  const fields = { background: (c >> 3) % 2 === 1, create };
  return withHandle((handle) => make.linkChild(handle, child, fields))(chooser, lane, choice);
}

/** Usually a new id; sometimes one that a run has linked before, in this or another session. */
function childPromptId(chooser: Chooser, c: number): string {
  if (c % 7 < 6 || chooser.count.children === 0) {
    chooser.count.children += 1;
    return `k${chooser.count.children}`;
  }
  return `k${1 + (c % chooser.count.children)}`;
}

/** The prompt that a run of another session has announced arrives. */
function acceptChild(chooser: Chooser, lane: Lane, { b, c }: Choice): CommandData | null {
  const announced = [...chooser.model.lanes.values()].flatMap((parent) => {
    const run = runOf(parent);
    const children = [...(run?.children ?? []), ...parent.background];
    return children
      .filter((child) => child.sessionId === lane.id)
      .map((child) => ({
        promptId: child.promptId,
        accounts: child.accounts.map(({ id }) => id),
        parent: {
          sessionId: parent.id,
          runId: child.runId,
          background: parent.background.includes(child),
        },
      }));
  });
  if (announced.length === 0) return null;
  const { promptId, parent, accounts } = pick(announced, b);
  if (findPrompt(lane, promptId) !== null && c % 4 > 0) return null;
  return make.accept(promptId, { parent, accounts });
}

/** The owner's own report that the child's prompt was refused. */
function settleChild(_: Chooser, lane: Lane, { b }: Choice): CommandData | null {
  const open = runOf(lane)?.children.filter((child) => !child.settled) ?? [];
  if (open.length === 0) return null;
  const { sessionId, promptId } = pick(open, b);
  return {
    type: "child.settle",
    childSessionId: sessionId,
    childPromptId: promptId,
    outcome: { status: "failed", reason: "refused", runId: null, result: null },
    usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
  };
}

function cancel(chooser: Chooser, lane: Lane, choice: Choice): CommandData {
  const { b, c } = choice;
  const known = [...lane.receipts.keys()];
  const cancelId = c % 7 === 0 && known.length > 0 ? pick(known, c) : fresh(chooser, "x");
  const seqs = lane.prompts.map((prompt) => prompt.seq);
  const upTo = c % 3 === 0 && seqs.length > 0 ? { upTo: pick(seqs.slice(-6), c >> 2) } : {};
  const active = runOf(lane)?.id ?? "r0";
  const scopes: make.ScopeInput[] = [
    { tree: c % 2 === 0, ...upTo },
    { tree: false, ...upTo },
    { upTo: runOf(lane)?.prompts[0]?.seq ?? 1 },
    { kind: "prompt", promptId: somePrompt(lane, choice) },
    { kind: "prompt", promptId: runOf(lane)?.prompts[0]?.id ?? "p0" },
    { kind: "queue" },
    { kind: "run", runId: c % 5 === 0 ? "r0" : active },
  ];
  return make.cancel(cancelId, pick(scopes, b), c % 13 === 0 ? "force" : null);
}

function editOf(lane: Lane, promptId: string, c: number): CommandData {
  const revision = findPrompt(lane, promptId)?.revision ?? 1;
  return make.edit(promptId, {
    revision: pick([revision, revision, revision, revision - 1, revision + 1], c),
    body: c % 3 === 0 ? "another body" : "an edited body",
    bytes: c % 17 === 0 ? 2000 : 10,
  });
}

function move(_: Chooser, lane: Lane, choice: Choice): CommandData {
  const { b, c } = choice;
  const others = [null, ...lane.queue.map((item) => item.id), ...(c % 8 === 0 ? ["p0"] : [])];
  const promptId = somePrompt(lane, choice);
  const before = pick(others, b + c);
  return { type: "prompt.move", promptId, before: before === promptId ? null : before };
}

function releaseHold(_: Chooser, lane: Lane, { b, c }: Choice): CommandData {
  if (c % 5 === 0) return { type: "hold.release", target: { kind: "refresh" } };
  const named = lane.holds.flatMap((hold) => (hold.id === null ? [] : [hold.id]));
  const holdId = named.length === 0 ? `h${c % 2}` : pick(named, b);
  return { type: "hold.release", target: { kind: "hold", holdId } };
}

/** Usually a new operation; sometimes an earlier one, unchanged or with other content. */
function queueWork(chooser: Chooser, lane: Lane, { b, c }: Choice): CommandData {
  const name = pick(["compact", "revert"], b);
  if (c % 3 > 0 || lane.works.length === 0) {
    return make.queueWork(fresh(chooser, "w"), { name, body: c % 2 === 0 ? "what to do" : null });
  }
  const { id, body, name: known } = pick(lane.works, c >> 2);
  if (c % 4 === 0) return make.queueWork(id, { name, body });
  return make.queueWork(id, { name: known, body: c % 8 === 1 ? "other" : body });
}

const titles = [
  "One",
  "Two",
  " Three \u{1f600}",
  "a".repeat(200),
  "a".repeat(201),
  "",
  " ",
  "A\nB",
];

function rename(_: Chooser, __: Lane, { b, c }: Choice): CommandData {
  return { type: "session.rename", title: pick(titles, b), auto: c % 2 === 0 };
}

function startWork(chooser: Chooser, lane: Lane, { b, c }: Choice): CommandData {
  const waiting = lane.queue.filter((item) => item.kind === "work");
  const workId = waiting.length === 0 ? "w0" : pick(waiting, c % 4 === 0 ? c : 0).id;
  return { type: "work.start", workId, owner: pick([...chooser.model.alive], b), stopGrace: 1000 };
}

function endWork(_: Chooser, lane: Lane, { c }: Choice): CommandData {
  const workId = lane.active?.kind === "work" ? lane.active.id : "w0";
  return make.endWork(workId, c % 5 === 0 ? lane.fence - 1 : lane.fence);
}

function takeover(chooser: Chooser, _: Lane, { b, c }: Choice): CommandData {
  const owner = pick([...chooser.model.alive], b);
  const recovery = pick(["resume", "resume", "resume", "hold", "settle"] as const, c);
  return make.takeover({ owner, recovery });
}
