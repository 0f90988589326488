import type { CommandOf } from "../command.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../facts.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, mayHaveActed, onlyAsks, triesResumed } from "../state.ts";
import type { Run } from "../state.ts";
import { checkId } from "../validate.ts";
import { withdrawAsksOf } from "./ask.ts";
import { missingResources } from "./run.ts";
import { closeRun, failed } from "./settle.ts";
import { takeOverWork } from "./work.ts";

/** After this many starts without a finished step, assume that the run crashes its process (R3). */
const triesWithoutStep = 3;
const triesInAll = 10;
/** An interrupted run is resumed without a person's consent only within this many milliseconds (R1). */
const resumeWithin = 3_600_000;

/** Gives a run whose process is gone to a new owner. */
export function decideTakeover(
  draft: Draft,
  command: CommandOf<"lane.takeover">,
  facts: Facts,
): Refused | null {
  const refusal = checkId("owner", command.owner);
  if (refusal !== null) return refusal;
  if (draft.state.active?.kind === "work") return takeOverWork(draft, facts.owner);
  const run = abandonedRun(draft, facts);
  if ("refusal" in run) return run;
  const attempt = run.attempt + 1;
  const { condition, tries, runId } = run;
  if (condition.status === "stopping") {
    // A stopping run is settled and never resumed (C5).
    const { outcome, mark } = condition;
    closeRun(draft, { outcome, mark, attempt });
    return null;
  }
  const isStuck = tries.sinceStep >= triesWithoutStep && !onlyAsks(run);
  if (isStuck || tries.total >= triesInAll) {
    const outcome = { ...failed("crashLoop"), runId };
    closeRun(draft, { outcome, mark: null, attempt });
    return null;
  }
  const cutOffAt = run.cutOffAt ?? facts.owner.lostAt ?? command.at;
  switch (recoveryOf(run, { command, cutOffAt })) {
    case "settle": {
      const outcome = { ...failed("interrupted"), runId };
      closeRun(draft, { outcome, mark: null, attempt });
      return null;
    }
    case "hold": {
      const fence = draft.state.fence + 1;
      emit(draft, { type: "run.suspended", runId, cutOffAt, fence, attempt });
      const holdId = `recovery:${runId}`;
      emit(draft, { type: "hold.placed", hold: { kind: "recovery", holdId, runId } });
      return null;
    }
    case "resume":
      resume(draft, { run, command });
      return null;
  }
}

function abandonedRun(draft: Draft, facts: Facts): Run | Refused {
  const run = activeRun(draft.state);
  if (run === null) return refuse({ code: "idle" }, "the session has no run to take over");
  if (run.condition.status === "closing") {
    return refuse({ code: "idle" }, "the run has ended and waits only for its children");
  }
  if (run.owner !== null && facts.owner.alive) {
    return refuse(
      { code: "owned", owner: run.owner },
      "the process that works on this session still has a valid lease; retry after the lease has expired",
    );
  }
  if (draft.state.holds.some((hold) => hold.kind !== "person")) {
    return refuse(
      { code: "held" },
      "the session is paused: its interrupted run waits for a person, or a spending limit was reached; release the hold first",
    );
  }
  return run;
}

function recoveryOf(
  run: Run,
  context: { command: CommandOf<"lane.takeover">; cutOffAt: number },
): "resume" | "hold" | "settle" {
  if (run.released) return "resume";
  // A run that was handed over did not crash, so the crash policy does not apply.
  const policy = run.owner === null ? "resume" : context.command.recovery;
  const old = context.command.at - context.cutOffAt > resumeWithin;
  return policy === "resume" && old ? "hold" : policy;
}

function resume(draft: Draft, takeover: { run: Run; command: CommandOf<"lane.takeover"> }): void {
  const { run, command } = takeover;
  const { runId } = run;
  const writer = { fence: draft.state.fence + 1, attempt: run.attempt + 1 };
  emit(draft, {
    type: "run.resumed",
    runId,
    owner: command.owner,
    generation: command.generation,
    ...missingResources(command),
    formerGeneration: run.generation,
    tries: triesResumed(run),
    ...writer,
  });
  for (const tool of run.tools) {
    const { callId } = tool;
    // A call that may have taken effect is not repeated and gets the status `inDoubt` (R2). All other calls of a hosted
    // agent get the status `interrupted`, because the agent's process is gone (H4).
    const isInDoubt = mayHaveActed(tool);
    if (!isInDoubt && tool.seen === undefined) continue;
    const status = isInDoubt ? "inDoubt" : "interrupted";
    emit(draft, { type: "tool.ended", runId, callId, status, body: null, ...writer });
    withdrawAsksOf(draft, callId);
  }
}
