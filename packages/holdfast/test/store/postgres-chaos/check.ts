import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { CommandInput, Store } from "../../../src/store/store.ts";
import { allSessions, audit, readLedger } from "../audit.ts";
import { readLog } from "../lane-client.ts";
import type { Told } from "./told.ts";

/** Checks that the store's content agrees with the answers that callers received. */
export async function checkStore(store: Store, told: readonly Told[]): Promise<string[]> {
  const problems = await audit(store);
  const log: LaneEvent[] = [];
  for (const sessionId of await allSessions(store)) {
    log.push(...(await readLog(store, sessionId)));
    for (const { status, promptId } of await readLedger(store, sessionId)) {
      if (status !== "settled") problems.push(`P2: ${sessionId} ${promptId} has no outcome`);
    }
  }
  problems.push(...checkTold(log, told), ...checkAccepts(log, told));
  problems.push(...(await checkCancels(store, told)));
  return problems;
}

/**
 * Checks each answer. Done: exactly its events are in the log, once. Refused: none. No answer: both are possible.
 * Events in other lanes have the same actor, and exist only if the command succeeded.
 */
function checkTold(log: readonly LaneEvent[], told: readonly Told[]): string[] {
  const problems: string[] = [];
  const written = Map.groupBy(log, (event) => event.actor.id);
  const commands = sentCommands(told);
  for (const answer of told) {
    const { actor } = answer;
    const events = written.get(actor) ?? [];
    const own = events.filter(({ sessionId }) => sessionId === commands.get(actor)?.sessionId);
    if (answer.kind === "done" && !isSame(own, answer.events)) {
      problems.push(`${actor} was told ${list(answer.events)} and wrote ${list(own)}`);
    }
    if (answer.kind === "refused" && events.length > 0) {
      problems.push(`${actor} was refused (${answer.code}) and wrote ${list(events)}`);
    }
  }
  for (const actor of written.keys()) {
    if (!commands.has(actor)) problems.push(`${actor} wrote without a call`);
  }
  return problems;
}

/**
 * Events that a command causes in its own lane through other lanes follow the command's own events, in the same
 * commit.
 */
function isSame(own: readonly LaneEvent[], told: readonly LaneEvent[]): boolean {
  const later = own.slice(told.length);
  const isSentBack = later.length === 0 || later[0]?.type === "child.settled";
  return isDeepStrictEqual(own.slice(0, told.length), told) && isSentBack;
}

function sentCommands(told: readonly Told[]): Map<string, CommandInput> {
  const commands = new Map<string, CommandInput>();
  for (const entry of told) if (entry.kind === "sent") commands.set(entry.actor, entry.command);
  return commands;
}

/** P1: checks that acknowledged prompts are in the log at the reported position, for every retry. */
function checkAccepts(log: readonly LaneEvent[], told: readonly Told[]): string[] {
  const commands = sentCommands(told);
  const places = new Map<string, number>();
  for (const event of log) {
    if (event.type === "prompt.accepted") {
      places.set(`${event.sessionId}/${event.promptId}`, event.seq);
    }
  }
  return told.flatMap((answer) => {
    if (answer.kind !== "done") return [];
    const command = commands.get(answer.actor);
    if (command?.type !== "prompt.accept") return [];
    const place = places.get(`${command.sessionId}/${command.promptId}`);
    if (place === answer.acceptSeq) return [];
    return [`P1: ${command.promptId} was acknowledged at ${answer.acceptSeq} and is at ${place}`];
  });
}

/** C4: every answer to a cancel is the same receipt, and so is the next one. */
async function checkCancels(store: Store, told: readonly Told[]): Promise<string[]> {
  const problems: string[] = [];
  const commands = sentCommands(told);
  for (const answer of told) {
    if (answer.kind !== "done") continue;
    const command = commands.get(answer.actor);
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

function list(events: readonly LaneEvent[]): string {
  return (
    events.map((event) => `${event.sessionId}/${event.seq} ${event.type}`).join(", ") || "nothing"
  );
}
