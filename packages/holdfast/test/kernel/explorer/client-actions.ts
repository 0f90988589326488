import type { CancelScope } from "../../../src/kernel/command.ts";
import { activeRun, itemId } from "../../../src/kernel/state.ts";
import type { LaneState, UnsettledPrompt } from "../../../src/kernel/state.ts";
import * as make from "../support/commands.ts";
import { offer } from "./action.ts";
import type { Choices } from "./action.ts";
import type { Scenario } from "./scenario.ts";
import type { WorldLane } from "./world.ts";

/** Everything that people and their programs may send to a lane, sensible or not. */
export function offerClientActions(choices: Choices, scenario: Scenario, lane: WorldLane): void {
  const { state } = lane;
  if (state === null) return;
  offerAccepts(choices, scenario, lane);
  offerCancels(choices, { scenario, lane, state });
  offerQueueChanges(choices, { scenario, lane, state });
  offerHolds(choices, lane, state);
  for (const ask of activeRun(state)?.asks ?? []) {
    for (const verdict of ["allow", "deny"] as const) {
      const data = { type: "ask.answer", askId: ask.askId, verdict, body: null } as const;
      offer(choices, { lane, label: `ask.answer ${verdict}`, data });
    }
  }
  offerLabels(choices, lane);
  const { deletes, works } = choices.world.left;
  if (deletes > 0 && state.status === "open") {
    const data = { type: "session.delete" } as const;
    offer(choices, { lane, label: "session.delete", data }, { spends: "deletes" });
  }
  if (works > 0 && lane.sessionId === "a") {
    const data = make.queueWork(`w${works}`, { body: "to do" });
    offer(choices, { lane, label: `work.queue w${works}`, data }, { spends: "works" });
  }
}

function offerLabels(choices: Choices, lane: WorldLane): void {
  for (const auto of [true, false]) {
    const title = auto ? "proposed" : "chosen";
    const data = { type: "session.rename", title, auto } as const;
    offer(choices, { lane, label: `rename to ${title}`, data }, { spends: "labels" });
  }
  const data = { type: "session.setMode", mode: "plan" } as const;
  offer(choices, { lane, label: "set the mode plan", data }, { spends: "labels" });
  const agent = { type: "session.setAgent", agent: "planner" } as const;
  offer(choices, { lane, label: "set the agent planner", data: agent }, { spends: "labels" });
  for (const archived of [true, false]) {
    const data = { type: "session.archive", archived } as const;
    offer(choices, { lane, label: archived ? "archive" : "unarchive", data }, { spends: "labels" });
  }
}

/**
 * A time after all time limits of a lane, in milliseconds. One value for all limits keeps the number of states small.
 */
export const later = 10;

function offerAccepts(choices: Choices, scenario: Scenario, lane: WorldLane): void {
  const { world } = choices;
  scenario.prompts.forEach((kind, promptKind) => {
    const unsent = world.unsent[promptKind] ?? 0;
    if (unsent === 0 || kind.sessionId !== lane.sessionId) return;
    const promptId = `${kind.letter}${kind.count - unsent + 1}`;
    const run = lane.state === null ? null : activeRun(lane.state);
    const { delivery, reply, maxRunTime, directories, budget, onBudget } = kind;
    const data = make.accept(promptId, {
      contentHash: promptId,
      delivery,
      reply,
      maxRunTime,
      directories,
      budget,
      ...(onBudget === "ask" ? { onBudget } : {}),
      expiresAt: kind.expires ? world.now + later : null,
      expectedRunId: kind.expected ? (run?.runId ?? "r0") : null,
    });
    offer(choices, { lane, label: `accept ${promptId} (${delivery})`, data }, { promptKind });
  });
}

function offerCancels(
  choices: Choices,
  target: { scenario: Scenario; lane: WorldLane; state: LaneState },
): void {
  const { scenario, lane, state } = target;
  const { cancels } = choices.world.left;
  if (cancels === 0) return;
  const cancelId = `c${cancels}`;
  const send = (scope: CancelScope, label: string): void => {
    const data = { type: "cancel", cancelId, scope, reason: null } as const;
    offer(choices, { lane, label: `cancel ${label}`, data }, { spends: "cancels" });
  };
  const run = activeRun(state);
  const waiting = state.queue.filter((item) => item.kind === "prompt");
  const prompts: UnsettledPrompt[] = [...(run?.prompts ?? []), ...waiting];
  for (const cancel of scenario.cancels) {
    switch (cancel) {
      case "session":
        send({ kind: "session", upTo: null, tree: false }, "session");
        break;
      case "tree":
        send({ kind: "session", upTo: null, tree: true }, "tree");
        break;
      case "treeUpTo":
        for (const { promptId, acceptSeq } of prompts) {
          send({ kind: "session", upTo: acceptSeq, tree: true }, `tree up to ${promptId}`);
        }
        break;
      case "upTo":
        for (const { promptId, acceptSeq } of prompts) {
          send({ kind: "session", upTo: acceptSeq, tree: false }, `session up to ${promptId}`);
        }
        break;
      case "prompt":
        for (const { promptId } of prompts) {
          send({ kind: "prompt", promptId }, `prompt ${promptId}`);
        }
        break;
      case "queue":
        send({ kind: "queue" }, "queue");
        break;
      case "run":
        if (run !== null) send({ kind: "run", runId: run.runId }, "run");
        break;
      case "promote":
        for (const { promptId } of waiting) {
          const data = { type: "prompt.promote", promptId } as const;
          offer(choices, { lane, label: `promote ${promptId}`, data }, { spends: "cancels" });
        }
        break;
    }
  }
}

function offerQueueChanges(
  choices: Choices,
  target: { scenario: Scenario; lane: WorldLane; state: LaneState },
): void {
  const { scenario, lane, state } = target;
  const { moves, edits } = choices.world.left;
  const waiting = state.queue.filter((item) => item.kind === "prompt");
  for (const { promptId, revision } of waiting) {
    for (const directories of edits > 0 ? scenario.editors : []) {
      const data = make.edit(promptId, { revision, directories });
      const label = `edit ${promptId}${directories === null ? "" : " with a limit"}`;
      offer(choices, { lane, label, data }, { spends: "edits" });
    }
    if (moves === 0) continue;
    for (const before of [...state.queue.map(itemId), null]) {
      const data = { type: "prompt.move", promptId, before } as const;
      const label = `move ${promptId} before ${before ?? "nothing"}`;
      offer(choices, { lane, label, data }, { spends: "moves" });
    }
  }
}

function offerHolds(choices: Choices, lane: WorldLane, state: LaneState): void {
  const { holds } = choices.world.left;
  if (holds > 0) {
    const data = { type: "hold.place", holdId: `h${holds}`, reason: "wait" } as const;
    offer(choices, { lane, label: "hold.place", data }, { spends: "holds" });
  }
  for (const { holdId, kind } of state.holds) {
    const data = { type: "hold.release", target: { kind: "hold", holdId } } as const;
    offer(choices, { lane, label: `hold.release ${kind}`, data });
  }
  if (state.holds.some((hold) => hold.kind === "failure")) {
    const data = { type: "hold.release", target: { kind: "refresh" } } as const;
    offer(choices, { lane, label: "hold.release by refresh", data });
  }
}
