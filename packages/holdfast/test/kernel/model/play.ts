import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "../../../src/kernel/command.ts";
import { evolve } from "../../../src/kernel/evolve.ts";
import { namedBy } from "../../../src/kernel/facts.ts";
import { checkHistory } from "../support/check-history.ts";
import { checkState } from "../../../src/kernel/invariants.ts";
import { packState, unpackState } from "../../../src/kernel/packed.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import type { Done } from "../../../src/kernel/transaction.ts";
import { createMemoryStore, transactAll } from "../support/memory-store.ts";
import type { MemoryStore } from "../support/memory-store.ts";
import { person, verdict } from "../support/world.ts";
import { choose, deleteSession, sessionIds } from "./choose.ts";
import type { Choice, Chooser } from "./choose.ts";
import { accountsOfKernel, accountsOfModel, viewOfKernel, viewOfModel } from "./compare.ts";
import { applyToModel } from "./model.ts";
import { createModel } from "./records.ts";

/** Runs the choices on kernel and model; throws with the sequence so far if they differ. */
export function play(choices: readonly Choice[]): void {
  const fixture = openFixture();
  try {
    for (const choice of choices) step(fixture, choice);
    for (const [sessionId, lane] of fixture.store.lanes) {
      assert.deepEqual(checkHistory(lane.log), [], `${sessionId}'s log`);
      const stored = unpackState(JSON.parse(JSON.stringify(packState(lane.state))));
      assert.deepEqual(stored, lane.state, `${sessionId}: a stored state is read as it was`);
    }
  } catch (error) {
    const story = fixture.story.map((line, index) => `${index + 1}. ${line}`).join("\n");
    throw new Error(`${String(error)}\nAfter:\n${story}`, { cause: error });
  }
}

interface Fixture {
  readonly store: MemoryStore;
  readonly chooser: Chooser;
  readonly folded: Map<string, LaneState>;
  /** Commands that will be committed together. */
  readonly batch: Command[];
  readonly story: string[];
}

function openFixture(): Fixture {
  const store = createMemoryStore();
  const model = createModel({
    seqOf: (sessionId, id) => seqOf(store, sessionId, id),
    budgetAskId: (sessionId, count) => budgetAskId(store, sessionId, count),
  });
  const count = { ids: 0, nodes: 0, children: 0 };
  const chooser: Chooser = { model, handles: new Map(), sent: new Map(), count };
  const fixture: Fixture = { store, chooser, folded: new Map(), batch: [], story: [] };
  for (let count = 0; count < 2; count += 1) join(fixture);
  model.now = 1000;
  return fixture;
}

/** Seq of the event that accepted the prompt. The model takes only the order from the log. */
function seqOf(store: MemoryStore, sessionId: string, id: string): number {
  const lane = store.lanes.get(sessionId);
  const row = lane?.prompts.get(id);
  if (row !== undefined) return row.acceptSeq;
  const event = lane?.log.find((entry) => entry.type === "work.queued" && entry.workId === id);
  assert(event !== undefined, `the kernel has accepted ${id} in ${sessionId}, as it must`);
  return event.seq;
}

function budgetAskId(store: MemoryStore, sessionId: string, count: number): string {
  const log = store.lanes.get(sessionId)?.log ?? [];
  const asks = log.filter((event) => event.type === "ask.opened" && event.budget !== undefined);
  const event = asks[count - 1];
  assert(event?.type === "ask.opened", `P6: ${sessionId} asks for more, as it must`);
  return event.askId;
}

function step(fixture: Fixture, choice: Choice): void {
  const { chooser } = fixture;
  const { model } = chooser;
  if (choice.b % 41 === 40) lose(fixture, choice);
  if (choice.c % 3 === 2) model.now += choice.c % 900;
  if (choice.c % 131 === 130) model.now += 3_600_001;
  const deletes = choice.c % 307 === 306 && model.lanes.has(sessionIds[choice.a % 3] ?? "");
  const chosen = deletes
    ? { sessionId: sessionIds[choice.a % 3] ?? "", data: deleteSession() }
    : choose(chooser, choice);
  if (chosen === null) return;
  const { sessionId, data } = chosen;
  fixture.batch.push({ sessionId, actor: person, at: model.now, ...data });
  // Sometimes a command waits for the next one, and both are committed together.
  if (choice.b % 5 < 4) send(fixture, fixture.batch.splice(0));
}

function send(fixture: Fixture, commands: readonly Command[]): void {
  const { store, chooser } = fixture;
  for (const { actor: _, ...rest } of commands) fixture.story.push(JSON.stringify(rest));
  const before = new Map(store.lanes);
  const answers = transactAll(store, commands);
  const verdicts = answers.map(verdict);
  fixture.story.push(`  ${verdicts.join(" ")}: ${newEvents(before, store)}`);
  for (const [index, command] of commands.entries()) {
    const expected = applyToModel(chooser.model, command);
    const got = verdicts[index] ?? "nothing";
    const agrees = expected.length === 0 ? got === "done" : expected.includes(got);
    assert(agrees, `${command.type}: expected ${expected.join(" or ") || "done"}, got ${got}`);
  }
  const [last, answer] = [commands.at(-1), answers.at(-1)];
  if (last !== undefined && answer?.status === "done") checkAnswer(fixture, last, answer);
  if (!verdicts.includes("done")) {
    assert(isDeepStrictEqual(before, store.lanes), "a refusal changes nothing");
  }
  for (const [sessionId, lane] of store.lanes) {
    if (before.get(sessionId) === lane) continue;
    check(fixture, sessionId, before.get(sessionId)?.log.length ?? 0);
    remember(chooser, sessionId, lane.state);
  }
  assert.deepEqual(accountsOfKernel(store), accountsOfModel(chooser.model), "the accounts");
  for (const [sessionId, lane] of chooser.model.lanes) {
    const stored = store.lanes.get(sessionId);
    assert(stored !== undefined, `${sessionId} exists`);
    const [kernel, model] = [viewOfKernel(stored), viewOfModel(lane)];
    // Compare as text first, which is faster. The slow comparison explains the difference.
    if (JSON.stringify(kernel) === JSON.stringify(model)) continue;
    assert.deepEqual(kernel, model, `${sessionId}: kernel and model`);
  }
}

/** An answer contains the stored rows of the ids in the command. */
function checkAnswer(fixture: Fixture, command: Command, answer: Done): void {
  const lane = fixture.store.lanes.get(command.sessionId);
  const { promptId, cancelId, askId, workId } = namedBy(command);
  assert.deepEqual(answer.state, lane?.state, "the answer has the lane's state");
  assert.deepEqual(answer.prompt, promptId === null ? null : (lane?.prompts.get(promptId) ?? null));
  assert.deepEqual(answer.ask, askId === null ? null : (lane?.asks.get(askId) ?? null));
  assert.deepEqual(answer.work, workId === null ? null : (lane?.works.get(workId) ?? null));
  if (cancelId !== null) assert.deepEqual(answer.receipt, lane?.receipts.get(cancelId));
}

function newEvents(before: MemoryStore["lanes"], store: MemoryStore): string {
  return [...store.lanes]
    .flatMap(([id, lane]) => lane.log.slice(before.get(id)?.log.length ?? 0))
    .map((event) => `${event.sessionId}#${event.seq}:${event.type}`)
    .join(" ");
}

/** Checks that the log leads to the stored state, and that the state keeps its invariants. */
function check(fixture: Fixture, sessionId: string, known: number): void {
  const lane = fixture.store.lanes.get(sessionId);
  assert(lane !== undefined);
  let state = fixture.folded.get(sessionId) ?? null;
  for (const event of lane.log.slice(known)) state = evolve(state, event);
  assert(state !== null);
  fixture.folded.set(sessionId, state);
  assert.deepEqual(state, lane.state, `${sessionId}: folding the log gives the state`);
  assert.deepEqual(checkState(state), [], `${sessionId}'s state`);
  checkWaiting(fixture, state);
}

/** C7: checks that an ended run waits only for children that have not ended. */
function checkWaiting(fixture: Fixture, state: LaneState): void {
  const run = activeRun(state);
  if (run?.condition.status !== "closing") return;
  for (const { sessionId, promptId, outcome } of run.children) {
    if (outcome !== null) continue;
    const status = fixture.store.lanes.get(sessionId)?.prompts.get(promptId)?.status;
    assert(status === "queued" || status === "running", `${run.runId} waits for ${promptId}`);
  }
}

function remember(chooser: Chooser, sessionId: string, state: LaneState): void {
  const run = activeRun(state);
  if (run === null || run.owner === null) return;
  const handle = { runId: run.runId, fence: state.fence, attempt: run.attempt };
  const handles = chooser.handles.get(sessionId) ?? [];
  if (isDeepStrictEqual(handles.at(-1), handle)) return;
  chooser.handles.set(sessionId, [...handles, handle]);
}

function join(fixture: Fixture): void {
  const { count, model } = fixture.chooser;
  count.nodes += 1;
  const nodeId = `n${count.nodes}`;
  model.alive.add(nodeId);
  fixture.store.leases.set(nodeId, { alive: true, lostAt: null });
}

/** A process dies and another one joins with a new id. */
function lose(fixture: Fixture, choice: Choice): void {
  const { model } = fixture.chooser;
  const nodes = [...model.alive];
  const nodeId = nodes[choice.a % nodes.length];
  if (nodeId === undefined) return;
  model.alive.delete(nodeId);
  model.lostAt.set(nodeId, model.now);
  fixture.store.leases.set(nodeId, { alive: false, lostAt: model.now });
  fixture.story.push(`${model.now} ${nodeId} loses its lease`);
  join(fixture);
}
