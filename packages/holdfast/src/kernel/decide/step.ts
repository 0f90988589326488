import type { CommandOf } from "../command.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { mayHaveActed } from "../state.ts";
import { bounds, checkId, checkUsage, firstRefusal } from "../validate.ts";
import { charge } from "./account.ts";
import { withdrawAsksOf } from "./ask.ts";
import { decideEnd, openWithin, ownRun, workingRun } from "./run.ts";

/** Commits the model's answer before any of its tool calls starts (R2). */
export function decideAnswer(draft: Draft, command: CommandOf<"step.answer">): Refused | null {
  const { within } = command;
  const unopened = within === undefined ? null : openWithin(draft, command.handle, within);
  if (unopened !== null) return unopened;
  const run = ownRun(draft, command.handle);
  if ("refusal" in run) return run;
  const { body, calls, usage } = command;
  const refusal = firstRefusal(
    checkUsage(usage),
    ...calls.map((call) => checkId("callId", call.callId)),
  );
  if (refusal !== null) return refusal;
  const ids = [...run.tools, ...calls].map(({ callId }) => callId);
  if (calls.length > bounds.calls || new Set(ids).size < ids.length) {
    return invalid(
      "calls",
      `"calls" must have at most ${bounds.calls} entries, each with a unique id`,
    );
  }
  if (run.stage !== "model" || run.waitsFor !== null) {
    return refuse({ code: "outOfOrder" }, "no step is open; start a step first");
  }
  if (run.tools.length > 0 && calls.some(({ seen }) => seen !== true)) {
    return refuse(
      { code: "outOfOrder" },
      "a step that a hosted agent reports can contain only tool calls of that agent",
    );
  }
  const { runId, fence, attempt } = command.handle;
  charge(draft, { run, usage, caps: command.caps });
  const interrupted = command.interrupted || run.condition.status !== "running";
  const { step } = run;
  emit(draft, {
    type: "step.answered",
    runId,
    step,
    body,
    calls,
    usage,
    interrupted,
    fence,
    attempt,
  });
  return decideCallsOf(draft, command);
}

/** Applies `starts`, `ends` and `completes` of an answer as if they were separate commands after it. */
function decideCallsOf(draft: Draft, command: CommandOf<"step.answer">): Refused | null {
  const { sessionId, actor, at, handle, starts, ends, completes } = command;
  const from = { sessionId, actor, at, handle };
  const refusal =
    (starts === undefined
      ? null
      : decideToolStart(draft, { type: "tool.start", ...from, ...starts })) ??
    (ends === undefined ? null : decideToolEnd(draft, { type: "tool.end", ...from, ...ends }));
  if (refusal === null && completes !== null) complete(draft, command, completes);
  return refusal;
}

/** Ends the run after the final answer. If the run cannot end now, only the answer is committed. */
function complete(
  draft: Draft,
  { handle, ...command }: CommandOf<"step.answer">,
  { result }: { result: string | null },
): void {
  const { sessionId, actor, at } = command;
  const outcome = { status: "completed", reason: null, result } as const;
  decideEnd(draft, { type: "run.end", sessionId, actor, at, handle, outcome, hold: null });
}

/**
 * Commits the start of a tool call that must not be repeated. After a crash without a result, its status becomes
 * `inDoubt` (R2).
 */
export function decideToolStart(draft: Draft, command: CommandOf<"tool.start">): Refused | null {
  const run = workingRun(draft, command.handle);
  if ("refusal" in run) return run;
  const tool = run.tools.find((candidate) => candidate.callId === command.callId);
  if (tool === undefined || tool.started) {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${command.callId} has already started or ended`,
    );
  }
  if (tool.gate !== "open") {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${command.callId} needs permission, and no one has allowed it yet`,
    );
  }
  const { runId, fence, attempt } = command.handle;
  const { callId, body } = command;
  emit(draft, { type: "tool.started", runId, callId, body, fence, attempt });
  return null;
}

/** Records the only result of a tool call (T1). */
export function decideToolEnd(draft: Draft, command: CommandOf<"tool.end">): Refused | null {
  const run = ownRun(draft, command.handle);
  if ("refusal" in run) return run;
  const { callId, status, body } = command;
  const tool = run.tools.find((candidate) => candidate.callId === callId);
  if (tool === undefined) {
    return refuse({ code: "outOfOrder" }, `tool call ${callId} has already ended or never started`);
  }
  const isSeen = tool.seen === true;
  // Only a hosted agent may end its call while an ask about it is open; the ask is then withdrawn (H4).
  if (tool.gate === "asking" && !isSeen) {
    return refuse({ code: "outOfOrder" }, `tool call ${callId} waits for the answer to a question`);
  }
  const begun = tool.started || ((tool.repeatable || isSeen) && tool.gate === "open");
  if (status === "completed" && !begun) {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${callId} was not started, so it has no result`,
    );
  }
  if (status === "inDoubt" && !mayHaveActed(tool)) {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${callId} has not acted, so its status cannot be inDoubt`,
    );
  }
  const { runId, fence, attempt } = command.handle;
  emit(draft, { type: "tool.ended", runId, callId, status, body, fence, attempt });
  withdrawAsksOf(draft, callId);
  return null;
}
