import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../../kernel/event.ts";
import { openHistory } from "../../kernel/history.ts";
import type { History } from "../../kernel/history.ts";
import { checkState } from "../../kernel/invariants.ts";
import { askChange, ledgerChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow } from "../../kernel/ledger.ts";
import { activeRun } from "../../kernel/state.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { BodyCheck } from "./bodies.ts";
import type { Findings } from "./findings.ts";
import { examineAskMarks, walkLedger } from "./ledger.ts";
import { examineBranches, examineLink, examineWaiting } from "./links.ts";
import { createRowCheck, differingKeys } from "./rows.ts";
import type { RowCheck } from "./rows.ts";
import { besideState } from "../session-list.ts";
import type { StoredLane } from "../session-list.ts";
import type { StoreReader } from "../store.ts";

const pageSize = 200;

/** Examines one session at the `seq` of its stored state. Events appended meanwhile are not checked. */
export async function examineSession(
  reader: StoreReader,
  target: { sessionId: string; findings: Findings; bodies: BodyCheck },
): Promise<void> {
  const { sessionId, findings, bodies } = target;
  const report = (...problems: readonly string[]): void => findings.report(sessionId, ...problems);
  const stored = await reader.storedLane(sessionId);
  if (stored === null) {
    report("P1: the session is listed but has no lane");
    return;
  }
  const { state } = stored;
  const times = { createdAt: stored.createdAt, updatedAt: stored.updatedAt };
  const prompts = promptCheck(reader, sessionId);
  const asks = askCheck(reader, sessionId);
  const ledger = walkLedger(reader, sessionId);
  const history = openHistory();
  const mayBeGone = state.status === "deleted";
  for await (const page of logPages(reader, { sessionId, after: 0, upTo: state.seq })) {
    for (const event of page) {
      if (event.seq === 1) times.createdAt = event.at;
      if (event.seq === state.seq) times.updatedAt = event.at;
      // A log without its first event cannot be replayed.
      if (history.state() !== null || event.type === "session.created") history.add(event);
      prompts.add(event);
      asks.add(event);
      report(...(await ledger.add(event)));
      await bodies.examine(event, { mayBeGone });
      const problems = await examineLink(reader, event);
      if (problems !== null) findings.count("links");
      report(...(problems ?? []));
      findings.count("events");
      if (event.type === "prompt.accepted" || event.type === "prompt.tombstoned") {
        findings.count("prompts");
      }
      if (event.type === "ask.opened") findings.count("asks");
    }
    report(...(await prompts.examineFinal()), ...(await asks.examineFinal()));
    await findings.progress();
  }
  const later = (): AsyncIterable<LaneEvent> => laterEvents(reader, state);
  report(...(await ledger.end(state.seq)));
  report(...(await prompts.examineOpen(later)), ...(await asks.examineOpen(later)));
  report(...examineLog(history, state));
  report(...examineLabels(stored, { ...besideState(state), ...times, state }));
  report(...(await examineAskMarks(reader, sessionId)));
  report(...notInState(prompts, state));
  report(...(await examineWaiting(reader, state)));
  report(...(await examineBranches(reader, state)));
  report(...(await examineRest(reader, state)));
}

/** Checks that the log breaks no invariant, and that replaying the log results in the stored state. */
function examineLog(history: History, state: LaneState): string[] {
  const folded = history.state();
  if (folded === null) return ["T2: the log does not begin with session.created"];
  const problems = history.problems();
  if (isDeepStrictEqual(folded, state)) return problems;
  const differing = differingKeys(folded, state);
  const stored = checkState(state).filter((problem) => !problems.includes(problem));
  return [...problems, ...stored, `T2: the stored state does not match the log (${differing})`];
}

/**
 * Checks the columns by which queries find a lane. With wrong values the lane would wait forever or be missing in
 * lists.
 */
function examineLabels(stored: StoredLane, expected: StoredLane): string[] {
  const { attention, labels: marks, ...listed } = stored;
  const { attention: wanted, labels: wantedMarks, ...known } = expected;
  const waiting = differingKeys(wanted, attention);
  const labels = differingKeys({ ...known, ...wantedMarks }, { ...listed, ...marks });
  return [
    ...(waiting === ""
      ? []
      : [`L3: the stored columns for scheduling do not match the state (${waiting})`]),
    ...(labels === ""
      ? []
      : [`P4: the stored columns for lists do not match the state (${labels})`]),
  ];
}

/**
 * Checks that the log has no event after the stored state. If the log has one, reads the state again: one commit writes
 * an event and its state, so the second read must return a later state. If it does not, the log and the state differ.
 */
async function examineRest(reader: StoreReader, state: LaneState): Promise<string[]> {
  const { sessionId, seq } = state;
  const [next] = await reader.events(sessionId, { after: seq, limit: 1 });
  const now = next === undefined ? null : await reader.lane(sessionId);
  return now?.seq === seq ? ["T2: the log has events after the stored state"] : [];
}

/** Checks that every accepted prompt without an outcome is waiting or running (P1). */
function notInState(prompts: RowCheck, state: LaneState): string[] {
  const run = activeRun(state);
  const waiting = state.queue.flatMap((item) => (item.kind === "prompt" ? [item] : []));
  const kept = new Set([...waiting, ...(run?.prompts ?? [])].map(({ promptId }) => promptId));
  return prompts
    .openIds()
    .filter((promptId) => !kept.has(promptId))
    .map((promptId) => `P1: prompt ${promptId} has no outcome but neither waits nor runs`);
}

function promptCheck(reader: StoreReader, sessionId: string): RowCheck {
  return createRowCheck<LedgerRow>({
    name: "P4: prompt",
    changeOf: ledgerChange,
    isFinal: (row) => row.status === "settled",
    read: (promptId) => reader.prompt(sessionId, promptId),
  });
}

function askCheck(reader: StoreReader, sessionId: string): RowCheck {
  return createRowCheck<AskRow>({
    name: "R4: ask",
    changeOf: askChange,
    isFinal: (row) => row.closed !== null,
    read: (askId) => reader.ask(sessionId, askId),
  });
}

async function* laterEvents(reader: StoreReader, state: LaneState): AsyncGenerator<LaneEvent> {
  const { sessionId, seq } = state;
  const upTo = (await reader.lane(sessionId))?.seq ?? seq;
  for await (const page of logPages(reader, { sessionId, after: seq, upTo })) yield* page;
}

async function* logPages(
  reader: StoreReader,
  read: { sessionId: string; after: number; upTo: number },
): AsyncGenerator<readonly LaneEvent[]> {
  const { sessionId, upTo } = read;
  for (let { after } = read; after < upTo;) {
    const events = await reader.events(sessionId, { after, limit: pageSize });
    yield events.filter(({ seq }) => seq <= upTo);
    after = events.at(-1)?.seq ?? upTo;
  }
}
