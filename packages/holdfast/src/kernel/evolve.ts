import type { LaneEvent } from "./event.ts";
import { isWork, onPrompt, onRun, onTool, onWork } from "./evolve/part.ts";
import { accepted, moved, returned, settled, takenIn, unbound, unwanted } from "./evolve/prompt.ts";
import {
  answered,
  askClosed,
  askOpened,
  branchEnded,
  childSettled,
  linked,
  released,
  resumed,
  started,
  workStarted,
} from "./evolve/run.ts";
import { addUsage, newLane, triesHandedOver } from "./state.ts";
import type { LaneState } from "./state.ts";
import { hasDescendants } from "./tree.ts";

/** Applies one event to the state. Never refuses: the event has already happened. */
export function evolve(state: LaneState | null, event: LaneEvent): LaneState {
  if (event.type === "session.created") return newLane(event);
  if (state === null) throw new Error(`the log contains ${event.type} before session.created`);
  const next = change(state, event) ?? state;
  return { ...next, ancestors: livingAncestors(next), seq: event.seq };
}

/** Drops settled prompts whose last descendant has ended: no cancel can cover anything below them any more (C7). */
function livingAncestors(state: LaneState): LaneState["ancestors"] {
  const { ancestors } = state;
  if (ancestors.every(({ promptId }) => hasDescendants(state, promptId))) return ancestors;
  return ancestors.filter(({ promptId }) => hasDescendants(state, promptId));
}

/**
 * Returns undefined for an event type of a newer release: such an event never changes state that this release uses.
 */
function change(
  state: LaneState,
  event: Exclude<LaneEvent, { type: "session.created" }>,
): LaneState | undefined {
  switch (event.type) {
    case "session.renamed":
      return { ...state, title: event.title };
    case "session.archived":
      return { ...state, archived: event.archived };
    case "session.modeSet":
      return { ...state, mode: event.mode };
    case "session.agentSet":
      return { ...state, agent: event.agent };
    case "session.deleted":
      if (event.keepsTree === true) return { ...state, status: "deleted" };
      return { ...state, status: "deleted", background: [], branches: [] };
    case "prompt.accepted":
      return accepted(state, event);
    case "prompt.edited":
      return onPrompt(state, event.promptId, (prompt) => ({
        ...prompt,
        revision: event.revision,
        ...(event.directories && { directories: event.directories, binding: null }),
      }));
    case "prompt.moved":
      return moved(state, event);
    case "prompt.takenIn":
      return takenIn(state, event);
    case "prompt.returned":
      return returned(state, event.promptId);
    case "prompt.settled":
      return settled(state, event.promptId);
    case "prompt.unwanted":
      return unwanted(state, event.promptId);
    case "prompt.tombstoned":
    case "cancel.committed":
      return state;
    case "run.started":
      return started(state, event);
    case "run.resumed":
      return { ...onRun(state, (run) => resumed(run, event)), fence: event.fence };
    case "run.suspended":
      return {
        ...onRun(state, (run) => ({
          ...run,
          owner: null,
          attempt: event.attempt,
          cutOffAt: event.cutOffAt,
        })),
        fence: event.fence,
      };
    case "run.handedOver":
      return onRun(state, (run) => ({
        ...run,
        owner: null,
        cutOffAt: event.at,
        // Logs of release 0.1.0 lack the count.
        tries: event.tries ?? triesHandedOver(run),
      }));
    case "run.stopping":
      return onRun(state, (run) => ({
        ...run,
        condition: {
          status: "stopping",
          outcome: event.outcome,
          mark: event.mark,
          deadline: event.deadline,
        },
      }));
    case "run.closing":
      return onRun(state, (run) => ({
        ...run,
        owner: null,
        attempt: event.attempt,
        condition: { status: "closing", outcome: event.outcome },
      }));
    case "run.ended":
      return {
        ...state,
        active: null,
        queue: state.queue.map((item) => unbound(item, event.runId)),
        usage: addUsage(state.usage, event.usage),
      };
    case "step.opened":
      return onRun(state, (run) => ({ ...run, stage: "model", step: event.step, waitsFor: null }));
    case "run.waiting":
      return onRun(state, (run) => ({ ...run, waitsFor: event.accountId }));
    case "run.woken":
      return onRun(state, (run) => ({ ...run, waitsFor: null }));
    case "step.answered":
      return onRun(state, (run) => answered(run, event));
    case "tool.started":
      return onTool(state, event.callId, (tool) => ({ ...tool, started: true }));
    case "tool.ended":
      return onRun(state, (run) => ({
        ...run,
        tools: run.tools.filter((tool) => tool.callId !== event.callId),
      }));
    case "ask.opened":
      return askOpened(state, event);
    case "ask.closed":
      return askClosed(state, event);
    case "child.linked":
      return linked(state, event);
    case "child.settled":
      return childSettled(state, event);
    case "branch.ended":
      return branchEnded(state, event);
    case "hold.placed":
      return { ...state, holds: [...state.holds, event.hold] };
    case "hold.released":
      return released(state, event);
    case "work.queued": {
      const { workId, name, seq } = event;
      return { ...state, queue: [...state.queue, { kind: "work", workId, name, acceptSeq: seq }] };
    }
    case "work.started":
      return workStarted(state, event);
    case "work.stopping":
      return onWork(state, (work) => ({
        ...work,
        condition: { status: "stopping", deadline: event.deadline },
      }));
    case "work.ended":
      return {
        ...state,
        active: isWork(state.active, event.workId) ? null : state.active,
        queue: state.queue.filter((item) => !isWork(item, event.workId)),
      };
  }
}
