import { sameDirectories } from "./directories.ts";
import { hasOpenChild } from "./state.ts";
import type { LaneState, Run } from "./state.ts";

/** Lists the guarantees that this lane state breaks (docs/PROMISES.md); empty if it breaks none. */
export function checkState(state: LaneState): string[] {
  const problems: string[] = [];
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const run = state.active?.kind === "run" ? state.active : null;
  const waiting = state.queue.filter((item) => item.kind === "prompt");
  const prompts = [...waiting, ...(run?.prompts ?? [])];
  const works = [...state.queue, state.active].filter((item) => item?.kind === "work");

  must(unique(prompts.map((prompt) => prompt.promptId)), "P2: a prompt is in two places");
  must(unique(prompts.map((prompt) => prompt.acceptSeq)), "P3: two prompts share an acceptSeq");
  must(unique(works.map((work) => work.workId)), "M8: work is in two places");
  must(unique(state.holds.map((hold) => hold.holdId)), "L4: a hold is recorded twice");
  must(
    prompts.every((prompt) => prompt.acceptSeq <= state.seq),
    "T2: a prompt is newer than the log",
  );
  must(
    waiting.every((prompt) => prompt.binding === null || prompt.binding.runId === run?.runId),
    "L6: a steer is bound to a run that is not active",
  );
  must(
    [...(run?.prompts ?? []), ...waiting.filter(({ binding }) => binding !== null)].every(
      ({ directories }) => sameDirectories(directories, run?.directories ?? null),
    ),
    "L6: a run has a prompt with another directory limit",
  );
  const first = state.queue[0];
  must(
    state.active !== null || first?.kind !== "prompt" || first.reply,
    "P7: a message waits at the head of a free lane",
  );
  must(
    state.holds.every((hold) => hold.kind !== "recovery" || keeps(hold.runId, run)),
    "R1: a recovery hold belongs to no run",
  );
  if (state.status === "deleted") {
    must(state.queue.length === 0, "M8: a deleted session has a queue");
    must(state.active === null || closesWithChildren(run), "M8: a deleted session is active");
  }
  if (run !== null) problems.push(...checkRun(run));
  return problems;
}

function checkRun(run: Run): string[] {
  const problems: string[] = [];
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const { condition, tools, asks } = run;
  must(run.prompts[0]?.promptId === run.startedBy, "P2: a run has lost the prompt that started it");
  must(unique(tools.map((tool) => tool.callId)), "T1: one call is open twice");
  must(
    run.stage === "tools" || tools.length === 0 || tools.some(isHosted),
    "T1: a call is open outside its step",
  );
  must(
    asks.every(({ callId }) => callId === null || tools.some((tool) => isAsking(tool, callId))),
    "R4: an ask belongs to no waiting call",
  );
  must(
    asks.every(
      ({ within }) => within === undefined || tools.some((tool) => tool.callId === within),
    ),
    "R4: an ask belongs to a call that has ended",
  );
  must(
    tools.every((tool) => tool.gate !== "asking" || asks.some((ask) => ask.callId === tool.callId)),
    "R4: a call waits for an ask that is not open",
  );
  must(
    tools.every((tool) => tool.gate !== "asking" || !tool.started),
    "R4: a call was started before its ask was answered",
  );
  must(run.tries.total <= 10 && run.tries.sinceStep <= 3, "R3: a run was started too often");
  must(run.step <= run.limits.maxSteps, "L6: a run went past its step limit");
  if (condition.status !== "running") must(asks.length === 0, "C5: a stopping run has an open ask");
  if (condition.status === "closing") {
    must(closesWithChildren(run), "C7: a closing run has no open child");
    must(run.owner === null, "C7: a closing run has an owner");
    must(tools.length === 0, "T1: a closing run has an open call");
  }
  return problems;
}

/** True for a tool call that a hosted agent made, and for a started call during which a hosted agent may work. */
function isHosted({ seen, started, repeatable }: Run["tools"][number]): boolean {
  return seen === true || (started && !repeatable);
}

function keeps(runId: string, run: Run | null): boolean {
  return run?.runId === runId && run.owner === null && run.condition.status === "running";
}

function closesWithChildren(run: Run | null): boolean {
  return run?.condition.status === "closing" && hasOpenChild(run);
}

function isAsking(tool: Run["tools"][number], callId: string): boolean {
  return tool.callId === callId && tool.gate === "asking";
}

function unique(values: readonly (string | number)[]): boolean {
  return new Set(values).size === values.length;
}
