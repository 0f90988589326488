import type { Command } from "./command.ts";
import { decideAccountAsk, decideAccountWake } from "./decide/account.ts";
import { decideAccept } from "./decide/accept.ts";
import { decideAskAnswer, decideAskOpen } from "./decide/ask.ts";
import { decideCancel } from "./decide/cancel.ts";
import { decideBranchEnd, decideChildSettle, decideLink, decideTombstone } from "./decide/child.ts";
import { decideHoldPlace, decideHoldRelease } from "./decide/hold.ts";
import { decideEdit, decideMove, decidePromote } from "./decide/queue.ts";
import {
  decideBoundary,
  decideEnd,
  decideHandOver,
  decideStart,
  settleMessages,
} from "./decide/run.ts";
import {
  decideArchive,
  decideCreate,
  decideDelete,
  decideRename,
  decideSetAgent,
  decideSetMode,
} from "./decide/session.ts";
import { decideAnswer, decideToolEnd, decideToolStart } from "./decide/step.ts";
import { decideTakeover } from "./decide/takeover.ts";
import { decideTick } from "./decide/tick.ts";
import { decideWorkEnd, decideWorkQueue, decideWorkStart } from "./decide/work.ts";
import { decided, openDraft } from "./draft.ts";
import type { Decision, Draft } from "./draft.ts";
import type { Facts } from "./facts.ts";
import { refuse } from "./refusal.ts";
import type { Refused } from "./refusal.ts";
import type { LaneState } from "./state.ts";

/**
 * Decides a command by the rules of a session's lane. Pure: no clock, no randomness, no I/O; such values arrive with
 * the command and the facts. A store calls this function inside its own transaction.
 */
export function decide(state: LaneState | null, command: Command, facts: Facts): Decision {
  if (command.type === "session.create") return decideCreate(state, command);
  if (state === null) {
    return refuse({ code: "unknownSession" }, `there is no session ${command.sessionId}`);
  }
  const draft = openDraft(state, command, facts.accounts);
  const refused = applyRule(draft, command, facts);
  // An unknown command type leaves `refused` undefined. The types exclude it, but a program may send one.
  if (refused === undefined) {
    return refuse({ code: "unknownCommand" }, `there is no command ${command.type}`);
  }
  if (refused !== null) return refused;
  // Many commands can end the active run or bring a message to the front of the queue. Settle such messages here, so
  // that no rule can forget it (P7).
  settleMessages(draft);
  return decided(draft);
}

function applyRule(
  draft: Draft,
  command: Exclude<Command, { type: "session.create" }>,
  facts: Facts,
): Refused | null | undefined {
  switch (command.type) {
    case "session.rename":
      return decideRename(draft, command);
    case "session.archive":
      return decideArchive(draft, command);
    case "session.setMode":
      return decideSetMode(draft, command);
    case "session.setAgent":
      return decideSetAgent(draft, command);
    case "session.delete":
      return decideDelete(draft, command);
    case "prompt.accept":
      return decideAccept(draft, command, facts);
    case "prompt.edit":
      return decideEdit(draft, command, facts);
    case "prompt.move":
      return decideMove(draft, command, facts);
    case "prompt.promote":
      return decidePromote(draft, command, facts);
    case "prompt.tombstone":
      return decideTombstone(draft, command, facts);
    case "cancel":
      return decideCancel(draft, command, facts);
    case "run.start":
      return decideStart(draft, command, facts);
    case "run.handOver":
      return decideHandOver(draft, command);
    case "run.boundary":
      return decideBoundary(draft, command);
    case "run.end":
      return decideEnd(draft, command);
    case "step.answer":
      return decideAnswer(draft, command);
    case "tool.start":
      return decideToolStart(draft, command);
    case "tool.end":
      return decideToolEnd(draft, command);
    case "ask.open":
      return decideAskOpen(draft, command, facts);
    case "ask.answer":
      return decideAskAnswer(draft, command, facts);
    case "account.ask":
      return decideAccountAsk(draft, command);
    case "account.wake":
      return decideAccountWake(draft, command);
    case "child.link":
      return decideLink(draft, command, facts);
    case "child.settle":
      return decideChildSettle(draft, command);
    case "branch.end":
      return decideBranchEnd(draft, command);
    case "hold.place":
      return decideHoldPlace(draft, command);
    case "hold.release":
      return decideHoldRelease(draft, command);
    case "work.queue":
      return decideWorkQueue(draft, command, facts);
    case "work.start":
      return decideWorkStart(draft, command);
    case "work.end":
      return decideWorkEnd(draft, command);
    case "lane.takeover":
      return decideTakeover(draft, command, facts);
    case "lane.tick":
      return decideTick(draft);
  }
}
