import { answerBody, askPageSchema, askPreviewSchema, askSchema, asksQuery } from "../ask.ts";
import { holdBody, holdListSchema } from "../hold.ts";
import { pageQuery } from "../page.ts";
import { waitQuery } from "../prompt.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";
import { revertBody, revertPlanSchema, runPageSchema, runSchema, stepListSchema } from "../run.ts";
import { workSchema } from "../work.ts";

const holds = { kind: "json", schema: holdListSchema, description: "the session's holds" } as const;
const asks = { kind: "json", schema: askPageSchema, description: "a page of asks" } as const;

export const laneRoutes = {
  listHolds: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/holds",
    tag: "runs",
    role: "observe",
    summary: "List the holds of a session",
    answers: { 200: holds },
    errors: ["unknownSession"],
  },
  placeHold: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/holds",
    tag: "runs",
    role: "prompt",
    summary: "Hold a session: prompts are accepted, but no run starts",
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
    summary: "List the runs of a session by start",
    query: pageQuery,
    answers: { 200: { kind: "json", schema: runPageSchema, description: "a page of runs" } },
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
    summary: "List the steps of a run with their calls",
    answers: { 200: { kind: "json", schema: stepListSchema, description: "the steps" } },
    errors: ["unknownSession", "unknownRun"],
  },
  planRevert: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/runs/{runId}/revert",
    tag: "runs",
    role: "observe",
    summary: "Preview the undo of a run's file changes",
    answers: {
      200: { kind: "json", schema: revertPlanSchema, description: "the plan; nothing is changed" },
    },
    errors: ["unknownSession", "unknownRun"],
  },
  revertRun: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/runs/{runId}/revert",
    tag: "runs",
    role: "prompt",
    summary: "Undo the file changes of a run",
    description:
      "An undo is exclusive work: it has a position in the queue, and no run starts while it is in progress. Without `wait`, the response is sent as soon as it is queued.",
    query: waitQuery,
    body: { kind: "json", schema: revertBody, maxBytes: bodyLimits.small, optional: true },
    answers: {
      200: { kind: "json", schema: workSchema, description: "the work has ended" },
      202: { kind: "json", schema: workSchema, description: "the work is queued or in progress" },
    },
    errors: ["unknownSession", "unknownRun", "deleted", "conflict"],
  },
  getWork: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/work/{workId}",
    tag: "runs",
    role: "observe",
    summary: "Get exclusive work, such as an undo, or wait for its end",
    query: waitQuery,
    answers: { 200: { kind: "json", schema: workSchema, description: "the work" } },
    errors: ["unknownSession", "unknownWork"],
  },
  listSessionAsks: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/asks",
    tag: "asks",
    role: "observe",
    summary: "List the asks of a session",
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
  getAskPreview: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/asks/{askId}/preview",
    tag: "asks",
    role: "observe",
    summary: "Get the whole diff or command that a permission request is about",
    description: "Lists and streams of asks contain only the first lines of a long diff.",
    answers: { 200: { kind: "json", schema: askPreviewSchema, description: "the whole preview" } },
    errors: ["unknownSession", "unknownAsk"],
  },
  answerAsk: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/asks/{askId}/answer",
    tag: "asks",
    role: "prompt",
    summary: "Answer an ask",
    description:
      "Only the first answer counts. Later ones are refused with `askClosed`, whose details contain the first answer.",
    body: { kind: "json", schema: answerBody, maxBytes: bodyLimits.prompt },
    answers: { 200: { kind: "json", schema: askSchema, description: "the ask with its answer" } },
    errors: ["unknownSession", "unknownAsk", "askClosed"],
  },
} as const satisfies Record<string, Route>;
