import type { Session, SessionDetail } from "../../contract/session.ts";
import { sessionStatus } from "../../kernel/session-status.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { SessionSummary } from "../../store/session-list.ts";

export function wireSession({ state, createdAt, updatedAt }: SessionSummary): Session {
  const { active } = state;
  const run = active?.kind === "run" ? active : null;
  return {
    sessionId: state.sessionId,
    directory: state.directory,
    title: state.title,
    archived: state.archived,
    mode: state.mode ?? (state.parent === null ? "ask" : null),
    agent: state.agent,
    parent: state.parent,
    status: sessionStatus(state),
    seq: state.seq,
    queued: state.queue.length,
    openAsks: run?.asks.length ?? 0,
    runId: run?.runId ?? null,
    holds: state.holds,
    usage: state.usage,
    budget: state.budget,
    createdAt,
    updatedAt,
  };
}

export function wireSessionDetail(summary: SessionSummary): SessionDetail {
  const { queue, active, background } = summary.state;
  return {
    ...wireSession(summary),
    queue: queue.map((item) => {
      if (item.kind === "work") return item;
      const { kind, promptId, acceptSeq, revision, binding, reply, expiresAt } = item;
      return { kind, promptId, acceptSeq, revision, binding, reply, expiresAt };
    }),
    active: active === null ? null : activeOf(active),
    background: background.map(({ sessionId, promptId, runId }) => ({
      sessionId,
      promptId,
      runId,
    })),
  };
}

function activeOf(active: NonNullable<LaneState["active"]>): SessionDetail["active"] {
  if (active.kind === "work") {
    const { kind, workId, name, owner, condition } = active;
    return { kind, workId, name, owner, status: condition.status };
  }
  const { kind, runId, startedBy, attempt, owner, stage, step, usage } = active;
  const { children, deadline, cutOffAt } = active;
  return {
    kind,
    runId,
    startedBy,
    attempt,
    owner,
    status: active.condition.status,
    stage,
    step,
    prompts: active.prompts.map(({ promptId }) => promptId),
    openCalls: active.tools.map(({ callId, started }) => ({ callId, started })),
    openAsks: active.asks.map(({ askId }) => askId),
    children,
    usage,
    deadline,
    cutOffAt,
  };
}
