import type { Session } from "@holdfast/sdk";

/** An idle session, with the given fields. */
export function session(sessionId: string, fields: Partial<Session>): Session {
  return {
    sessionId,
    directory: "/code/app",
    title: sessionId,
    archived: false,
    mode: "ask",
    agent: null,
    parent: null,
    status: "idle",
    seq: 1,
    queued: 0,
    openAsks: 0,
    runId: null,
    holds: [],
    usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
    budget: null,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
}
