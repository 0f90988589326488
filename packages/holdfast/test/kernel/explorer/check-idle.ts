import { decide } from "../../../src/kernel/decide.ts";
import type { Facts } from "../../../src/kernel/facts.ts";
import { anyIdleLane, isPlainlyIdle, isPlainPrompt } from "../../../src/kernel/idle-lane.ts";
import type { Committed } from "./check-cancel.ts";
import type { Fail } from "./check-event.ts";
import { equal } from "./equal.ts";

/** A new prompt comes to the same in every plainly idle lane, and changes nothing else of it (P1). */
export function checkIdle(committed: Committed, fail: Fail): void {
  const { before, after, command, events } = committed;
  if (command.type !== "prompt.accept" || !isPlainlyIdle(before) || events.length === 0) return;
  const any = decide(anyIdleLane(command.sessionId), command, noFacts);
  // A stand-in works in no directory, so it refuses every limited sender: the lane has to be read then.
  const isLimited = (command.directories ?? null) !== null;
  if (any.status === "refused" && isLimited) return;
  if (any.status === "refused") {
    fail("P1: an idle lane takes a prompt that another one refuses");
    return;
  }
  if (isLimited) fail("an idle lane takes a prompt without knowing its directory");
  if (!any.events.slice(0, 1).every(isPlainPrompt)) return;
  const shifted = any.events.map((event) => ({ ...event, seq: event.seq + before.seq }));
  if (!equal(shifted, events)) fail("P1: a prompt comes to something else in another idle lane");
  const queue = any.state.queue.map((item) => ({
    ...item,
    acceptSeq: item.acceptSeq + before.seq,
  }));
  if (!equal(after, { ...before, seq: before.seq + any.state.seq, queue })) {
    fail("P1: a prompt changes more of an idle lane than its queue");
  }
}

const noFacts: Facts = {
  prompt: null,
  receipt: null,
  ask: null,
  work: null,
  owner: { alive: false, lostAt: null },
  childDirectory: null,
  waits: [],
  descendants: [],
  parent: null,
  treeSize: 0,
  accounts: [],
};
