import type { Command } from "../../../src/kernel/command.ts";
import { cancel } from "./cancel.ts";
import * as lanes from "./lane.ts";
import * as prompts from "./prompts.ts";
import { createLane } from "./records.ts";
import type { Lane, Model } from "./records.ts";
import * as runs from "./runs.ts";

/** Executes a command. Returns the allowed refusal codes; empty if it must succeed. */
export function applyToModel(model: Model, command: Command): string[] {
  model.now = command.at;
  const lane = model.lanes.get(command.sessionId);
  if (command.type === "session.create") {
    if (lane !== undefined) {
      return lane.hash === command.contentHash ? [] : ["conflict"];
    }
    const { sessionId, contentHash, budget, onBudget, agent = null } = command;
    const terms = { budget, asksForMore: onBudget === "ask", agent };
    model.lanes.set(sessionId, createLane(sessionId, contentHash, terms));
    return [];
  }
  if (lane === undefined) return ["unknownSession"];
  const refusals = applyToLane(model, lane, command);
  for (let next = model.outbox.shift(); next !== undefined; next = model.outbox.shift()) next();
  return refusals;
}

function applyToLane(
  model: Model,
  lane: Lane,
  command: Exclude<Command, { type: "session.create" }>,
): string[] {
  switch (command.type) {
    case "session.rename":
      return lanes.rename(lane, command);
    case "session.archive":
      return lanes.archive(lane, command);
    case "session.setMode":
      return lanes.setMode(lane, command);
    case "session.setAgent":
      return lanes.setAgent(lane, command);
    case "session.delete":
      return lanes.deleteSession(model, lane);
    case "prompt.accept":
      return prompts.accept(model, lane, command);
    case "prompt.edit":
      return prompts.edit(lane, command);
    case "prompt.move":
      return prompts.move(model, lane, command);
    case "prompt.promote":
      return prompts.promote(model, lane, command);
    case "prompt.tombstone":
      throw new Error("the model sees a tombstone only through a parent's cancel");
    case "cancel":
      return cancel(model, lane, command);
    case "run.start":
      return runs.start(model, lane, command);
    case "run.handOver":
      return runs.handOver(model, lane, command);
    case "run.boundary":
      return runs.boundary(model, lane, command);
    case "run.end":
      return runs.end(model, lane, command);
    case "step.answer":
      return runs.answer(model, lane, command);
    case "tool.start":
      return runs.startTool(lane, command);
    case "tool.end":
      return runs.endTool(lane, command);
    case "ask.open":
      return runs.openAsk(lane, command);
    case "ask.answer":
      return runs.answerAsk(model, lane, command);
    case "account.ask":
    case "account.wake":
      throw new Error("the model sees these only through what causes them");
    case "child.link":
      return runs.link(model, lane, command);
    case "child.settle":
      return runs.settleChild(model, lane, command);
    case "branch.end":
      throw new Error("the model sees the end of a branch only through a child's");
    case "hold.place":
      return lanes.placeHold(lane, command);
    case "hold.release":
      return lanes.releaseHold(lane, command);
    case "work.queue":
      return lanes.queueWork(model, lane, command);
    case "work.start":
      return lanes.startWork(lane, command);
    case "work.end":
      return lanes.endWork(model, lane, command);
    case "lane.takeover":
      return lanes.takeover(model, lane, command);
    case "lane.tick":
      return lanes.tick(model, lane);
  }
}
