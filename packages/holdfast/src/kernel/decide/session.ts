import type { AsOf, CommandOf } from "../command.ts";
import type { Decision, Draft } from "../draft.ts";
import { checkOpen, emit } from "../draft.ts";
import { evolve } from "../evolve.ts";
import type { LaneEvent } from "../event.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun } from "../state.ts";
import type { LaneState } from "../state.ts";
import {
  checkAgent,
  checkBudget,
  checkChosenId,
  checkId,
  checkLine,
  checkMode,
  checkOrigin,
  checkText,
  firstRefusal,
} from "../validate.ts";
import { releaseHold } from "./hold.ts";
import { cancelled, settlePrompt, stopRun } from "./settle.ts";

/** Creates a session under the id that the client chose. Repeating the same request returns the existing session (P3). */
export function decideCreate(
  state: LaneState | null,
  command: CommandOf<"session.create">,
): Decision {
  const { sessionId, actor, at, contentHash, directory, parent, budget, origin } = command;
  const { onBudget, agent = null } = command;
  const refusal = firstRefusal(
    // Sessions of older releases may have a reserved id. Repeating their creation must still work.
    state === null ? checkChosenId("sessionId", sessionId) : checkId("sessionId", sessionId),
    checkText("directory", directory),
    checkBudget(budget),
    checkAgent(agent),
    checkOrigin(origin),
  );
  if (refusal !== null) return refusal;
  if (state !== null) {
    if (state.contentHash !== contentHash) {
      return refuse(
        { code: "conflict" },
        `session ${sessionId} already exists with different content; choose another id`,
      );
    }
    return { status: "decided", state, events: [], sends: [], accounts: [], receipt: null };
  }
  const event: LaneEvent = {
    sessionId,
    actor,
    at,
    seq: 1,
    version: 1,
    type: "session.created",
    contentHash,
    directory,
    parent,
    budget,
    ...(onBudget === "ask" ? { onBudget } : {}),
    ...(agent === null ? {} : { agent }),
    origin,
  };
  return {
    status: "decided",
    state: evolve(null, event),
    events: [event],
    sends: [],
    accounts: [],
    receipt: null,
  };
}

/** Sets the title. A title that a program proposes never replaces an existing one. */
export function decideRename(draft: Draft, command: CommandOf<"session.rename">): Refused | null {
  const { title, auto } = command;
  const refusal = firstRefusal(checkLine("title", title), checkOpen(draft));
  if (refusal !== null) return refusal;
  const present = draft.state.title;
  if (present === title || (auto && present !== null)) return null;
  emit(draft, { type: "session.renamed", title, auto });
  return null;
}

export function decideArchive(draft: Draft, command: CommandOf<"session.archive">): Refused | null {
  const refusal = firstRefusal(checkOpen(draft), checkUnchanged(draft, command));
  if (refusal !== null) return refusal;
  const { archived } = command;
  if (draft.state.archived !== archived) emit(draft, { type: "session.archived", archived });
  return null;
}

/** Sets the permission mode. Only people and their programs may do this: a run cannot give itself more permissions. */
export function decideSetMode(draft: Draft, command: CommandOf<"session.setMode">): Refused | null {
  const { mode, actor } = command;
  const refusal = firstRefusal(checkMode(mode), checkOpen(draft));
  if (refusal !== null) return refusal;
  if (actor.kind === "run")
    return invalid(
      "actor",
      "a run cannot change the permission mode of a session; a person must do it",
    );
  if (draft.state.mode !== mode) emit(draft, { type: "session.modeSet", mode });
  return null;
}

/** Sets the agent of later runs. The active run keeps its agent. A run cannot give its session to another agent. */
export function decideSetAgent(
  draft: Draft,
  command: CommandOf<"session.setAgent">,
): Refused | null {
  const { agent, actor } = command;
  const refusal = firstRefusal(checkAgent(agent), checkOpen(draft));
  if (refusal !== null) return refusal;
  if (actor.kind === "run")
    return invalid("actor", "a run cannot change the agent of a session; a person must do it");
  if (draft.state.agent !== agent) emit(draft, { type: "session.agentSet", agent });
  return null;
}

/** Deletes the session: cancels all unfinished work and refuses later commands, in one commit (M8). */
export function decideDelete(draft: Draft, command: CommandOf<"session.delete">): Refused | null {
  if (draft.state.status === "deleted") return null;
  const refusal = checkUnchanged(draft, command);
  if (refusal !== null) return refusal;
  const keepsTree = draft.state.background.length + draft.state.branches.length > 0;
  emit(draft, { type: "session.deleted", ...(keepsTree ? { keepsTree: true } : {}) });
  const outcome = cancelled("deleted");
  for (const item of draft.state.queue) {
    if (item.kind === "prompt") settlePrompt(draft, { prompt: item, outcome });
    else emit(draft, { type: "work.ended", workId: item.workId, cause: "deleted", body: null });
  }
  if (activeRun(draft.state) !== null) {
    stopRun(draft, { outcome, mark: null, enforce: true });
  } else if (draft.state.active?.kind === "work") {
    emit(draft, {
      type: "work.ended",
      workId: draft.state.active.workId,
      cause: "deleted",
      body: null,
    });
  }
  for (const hold of draft.state.holds) releaseHold(draft, { hold, cause: "deleted" });
  return null;
}

/** Refuses the command if the session has changed since the caller read it. */
function checkUnchanged(draft: Draft, { asOf }: AsOf): Refused | null {
  const { seq } = draft.state;
  if (asOf === undefined || asOf === seq) return null;
  return refuse(
    { code: "staleRevision", revision: seq },
    "the session has changed since you read it; read it again",
  );
}
