import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { evolve } from "../../../src/kernel/evolve.ts";
import { checkHistory } from "../../../src/kernel/history.ts";
import { ledgerChange } from "../../../src/kernel/ledger.ts";
import type { LedgerRow } from "../../../src/kernel/ledger.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import type { Store, StoreReader } from "../../../src/store/store.ts";
import type { Told } from "./told.ts";

/** Everything that the store's content and what callers were told must agree on. */
export async function checkStore(store: Store, told: readonly Told[]): Promise<string[]> {
  const problems: string[] = [];
  const log: LaneEvent[] = [];
  for (const sessionId of await store.sessions({ after: null, limit: 10_000 })) {
    const events = await allEvents(store, sessionId);
    log.push(...events);
    problems.push(...checkHistory(events).map((problem) => `${sessionId}: ${problem}`));
    problems.push(...(await checkProjections(store, { sessionId, events })));
  }
  problems.push(...checkTold(log, told));
  problems.push(...(await checkCancels(store, told)));
  problems.push(...compareFeed(log, await allOfFeed(store)));
  return problems;
}

/** State and ledger are what folding the log gives; and nothing is left to settle (P2). */
async function checkProjections(
  store: StoreReader,
  session: { sessionId: string; events: readonly LaneEvent[] },
): Promise<string[]> {
  const { sessionId, events } = session;
  const problems: string[] = [];
  let folded: LaneState | null = null;
  const ledger = new Map<string, LedgerRow>();
  for (const event of events) {
    folded = evolve(folded, event);
    const change = ledgerChange(event);
    if (change === null) continue;
    const row = change.row ?? ledger.get(change.id);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a patch keeps a row a row
    if (row !== undefined) ledger.set(change.id, { ...row, ...change.patch } as LedgerRow);
  }
  const state = await store.lane(sessionId);
  if (!isDeepStrictEqual(state, folded)) problems.push(`${sessionId}: its state is not its log's`);
  const rows = await store.prompts(sessionId, { after: null, limit: 10_000 });
  if (!isDeepStrictEqual(rows, [...ledger.values()])) {
    problems.push(`${sessionId}: its ledger is not its log's`);
  }
  for (const row of rows) {
    if (row.status !== "settled") problems.push(`P2: ${sessionId} ${row.promptId} has no outcome`);
  }
  return problems;
}

/** Done: exactly those events are there, once. Refused: none. Without an answer: either. */
function checkTold(log: readonly LaneEvent[], told: readonly Told[]): string[] {
  const problems: string[] = [];
  const written = Map.groupBy(log, (event) => event.actor.id);
  const sent = new Set<string>();
  const accepted = new Map<string, number | null>();
  for (const answer of told) {
    const { actor } = answer;
    const events = written.get(actor) ?? [];
    switch (answer.kind) {
      case "sent":
        sent.add(actor);
        if (answer.command.type === "prompt.accept") {
          accepted.set(actor, null);
        }
        break;
      case "done":
        if (!isDeepStrictEqual(events, answer.events)) {
          problems.push(`${actor} was told ${list(answer.events)} and wrote ${list(events)}`);
        }
        if (accepted.has(actor) && answer.acceptSeq === null) {
          problems.push(`P1: ${actor} was told of an accept without a ledger entry`);
        }
        break;
      case "refused":
        if (events.length > 0) {
          problems.push(`${actor} was refused (${answer.code}) and wrote ${list(events)}`);
        }
        break;
      case "failed":
        break;
    }
  }
  for (const actor of written.keys()) {
    if (!sent.has(actor)) problems.push(`${actor} wrote without a call`);
  }
  return [...problems, ...checkAccepts(log, told)];
}

/** P1: what was acknowledged is in the log, at the place that was told, under every retry. */
function checkAccepts(log: readonly LaneEvent[], told: readonly Told[]): string[] {
  const commands = new Map<string, Told & { kind: "sent" }>();
  for (const entry of told) if (entry.kind === "sent") commands.set(entry.actor, entry);
  const places = new Map<string, number>();
  for (const event of log) {
    if (event.type === "prompt.accepted") {
      places.set(`${event.sessionId}/${event.promptId}`, event.seq);
    }
  }
  return told.flatMap((answer) => {
    if (answer.kind !== "done") return [];
    const command = commands.get(answer.actor)?.command;
    if (command?.type !== "prompt.accept") return [];
    const place = places.get(`${command.sessionId}/${command.promptId}`);
    if (place === answer.acceptSeq) return [];
    return [`P1: ${command.promptId} was acknowledged at ${answer.acceptSeq} and is at ${place}`];
  });
}

/** C4: every answer to a cancel is the same receipt, and so is the next one. */
async function checkCancels(store: Store, told: readonly Told[]): Promise<string[]> {
  const problems: string[] = [];
  const commands = new Map<string, Told & { kind: "sent" }>();
  for (const entry of told) if (entry.kind === "sent") commands.set(entry.actor, entry);
  for (const answer of told) {
    if (answer.kind !== "done") continue;
    const command = commands.get(answer.actor)?.command;
    if (command?.type !== "cancel") continue;
    const again = await store.execute({ command });
    const isSame =
      again.status === "done" &&
      again.events.length === 0 &&
      isDeepStrictEqual(again.receipt, answer.receipt);
    if (!isSame) problems.push(`C4: ${command.cancelId} has another receipt than it was answered`);
  }
  return problems;
}

/** T2: every event of the log once, in order within its session. */
export function compareFeed(log: readonly LaneEvent[], feed: readonly LaneEvent[]): string[] {
  const sessions = Map.groupBy(log, (event) => event.sessionId);
  const fed = Map.groupBy(feed, (event) => event.sessionId);
  const ids = new Set([...sessions.keys(), ...fed.keys()]);
  return [...ids].flatMap((id) =>
    isDeepStrictEqual(sessions.get(id), fed.get(id))
      ? []
      : [`T2: the feed of ${id} is not its log`],
  );
}

export async function allEvents(store: StoreReader, sessionId: string): Promise<LaneEvent[]> {
  const events: LaneEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? null;
    const page = await store.events(sessionId, { after, limit: 1_000 });
    if (page.length === 0) return events;
    events.push(...page);
  }
}

async function allOfFeed(store: StoreReader): Promise<LaneEvent[]> {
  const events: LaneEvent[] = [];
  let after: string | null = null;
  for (;;) {
    const page = await store.feed({ after, limit: 700 });
    if (page.status === "reset") throw new Error("a cursor of this store was not taken");
    events.push(...page.events);
    after = page.cursor;
    if (!page.more) return events;
  }
}

function list(events: readonly LaneEvent[]): string {
  return (
    events.map((event) => `${event.sessionId}/${event.seq} ${event.type}`).join(", ") || "nothing"
  );
}
