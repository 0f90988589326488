import { answerBody, askPageSchema, askSchema, asksQuery } from "../ask.ts";
import { holdBody, holdListSchema } from "../hold.ts";
import { pageQuery } from "../page.ts";
import { waitQuery } from "../prompt.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";
import { revertBody, revertPlanSchema, runPageSchema, runSchema, stepListSchema } from "../run.ts";
import { workSchema } from "../work.ts";

const holds = { kind: "json", schema: holdListSchema, description: "the session's holds" } as const;
const asks = { kind: "json", schema: askPageSchema, description: "a page of them" } as const;

export const laneRoutes = {
  listHolds: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/holds",
    tag: "runs",
    role: "observe",
    summary: "List what keeps new runs from starting",
    answers: { 200: holds },
    errors: ["unknownSession"],
  },
  placeHold: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/holds",
    tag: "runs",
    role: "prompt",
    summary: "Hold a session: prompts are accepted, no run starts",
    body: { kind: "json", schema: holdBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 201: holds },
    errors: ["unknownSession", "deleted", "conflict", "tooManyHolds"],
  },
  releaseHold: {
    method: "DELETE",
    path: "/v1/sessions/{sessionId}/holds/{holdId}",
    tag: "runs",
    role: "prompt",
    summary: "Release a hold",
    answers: { 200: holds },
    errors: ["unknownSession", "unknownHold"],
  },
  listRuns: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/runs",
    tag: "runs",
    role: "observe",
    summary: "List a session's runs in the order in which they started",
    query: pageQuery,
    answers: { 200: { kind: "json", schema: runPageSchema, description: "a page of them" } },
    errors: ["unknownSession", "badCursor"],
  },
  getRun: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/runs/{runId}",
    tag: "runs",
    role: "observe",
    summary: "Get a run with its usage",
    answers: { 200: { kind: "json", schema: runSchema, description: "the run" } },
    errors: ["unknownSession", "unknownRun"],
  },
  listSteps: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/runs/{runId}/steps",
    tag: "runs",
    role: "observe",
    summary: "List a run's steps with their calls",
    answers: { 200: { kind: "json", schema: stepListSchema, description: "its steps" } },
    errors: ["unknownSession", "unknownRun"],
  },
  planRevert: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/runs/{runId}/revert",
    tag: "runs",
    role: "observe",
    summary: "Show what undoing a run's changes to files would do",
    answers: { 200: { kind: "json", schema: revertPlanSchema, description: "changes nothing" } },
    errors: ["unknownSession", "unknownRun"],
  },
  revertRun: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/runs/{runId}/revert",
    tag: "runs",
    role: "prompt",
    summary: "Undo a run's changes to files",
    description:
      "Undoing is exclusive work: it has its place in the queue, and no run starts meanwhile. Without `wait` the answer comes when it is queued.",
    query: waitQuery,
    body: { kind: "json", schema: revertBody, maxBytes: bodyLimits.small, optional: true },
    answers: {
      200: { kind: "json", schema: workSchema, description: "it has ended" },
      202: { kind: "json", schema: workSchema, description: "it waits, or is at work" },
    },
    errors: ["unknownSession", "unknownRun", "deleted", "conflict"],
  },
  getWork: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/work/{workId}",
    tag: "runs",
    role: "observe",
    summary: "Get exclusive work, such as a revert, or wait for its end",
    query: waitQuery,
    answers: { 200: { kind: "json", schema: workSchema, description: "the work" } },
    errors: ["unknownSession", "unknownWork"],
  },
  listSessionAsks: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/asks",
    tag: "asks",
    role: "observe",
    summary: "List a session's asks",
    query: asksQuery,
    answers: { 200: asks },
    errors: ["unknownSession", "badCursor"],
  },
  listAsks: {
    method: "GET",
    path: "/v1/asks",
    tag: "asks",
    role: "observe",
    summary: "List the open asks of all sessions",
    query: pageQuery,
    answers: { 200: asks },
    errors: ["badCursor"],
  },
  answerAsk: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/asks/{askId}/answer",
    tag: "asks",
    role: "prompt",
    summary: "Answer an ask",
    description:
      "The first answer counts. Later ones are refused with `askClosed`, and the details say who answered.",
    body: { kind: "json", schema: answerBody, maxBytes: bodyLimits.prompt },
    answers: { 200: { kind: "json", schema: askSchema, description: "the ask with its answer" } },
    errors: ["unknownSession", "unknownAsk", "askClosed"],
  },
} as const satisfies Record<string, Route>;
