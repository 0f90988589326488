import { pageQuery } from "../page.ts";
import {
  editBody,
  moveBody,
  promptBody,
  promptPageSchema,
  promptSchema,
  waitQuery,
} from "../prompt.ts";
import { cancelBody, clearBody, receiptSchema, withdrawQuery } from "../receipt.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";

const receipt = {
  kind: "json",
  schema: receiptSchema,
  description: "the exact prompts that were covered, and the state of each at that moment",
} as const;

const prompt = {
  kind: "json",
  schema: promptSchema,
  description: "the prompt's entry in the ledger",
} as const;

export const promptRoutes = {
  sendPrompt: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/prompts",
    tag: "prompts",
    role: "propose",
    summary: "Send a prompt",
    description:
      "Responds when the prompt is durable (202): from then on, no crash loses it. With `wait`, the response is sent when the prompt is settled (200) or the time is over (202, with the current entry). With your own `promptId`, the request can be repeated: the same content is the same prompt, other content is refused with `conflict`.",
    query: waitQuery,
    body: { kind: "json", schema: promptBody, maxBytes: bodyLimits.prompt },
    answers: {
      200: { ...prompt, description: "the prompt is settled" },
      202: { ...prompt, description: "the prompt is accepted" },
    },
    errors: [
      "unknownSession",
      "unknownAttachment",
      "deleted",
      "conflict",
      "tombstoned",
      "queueFull",
      "busy",
      "held",
      "runMismatch",
    ],
  },
  listPrompts: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/prompts",
    tag: "prompts",
    role: "observe",
    summary: "List the prompts of a session in order of acceptance",
    query: pageQuery,
    answers: { 200: { kind: "json", schema: promptPageSchema, description: "a page of prompts" } },
    errors: ["unknownSession", "badCursor"],
  },
  getPrompt: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/prompts/{promptId}",
    tag: "prompts",
    role: "observe",
    summary: "Get a prompt, or wait for its outcome",
    description: "Works at any time, even for prompts of deleted sessions.",
    query: waitQuery,
    answers: { 200: prompt },
    errors: ["unknownSession", "unknownPrompt"],
  },
  editPrompt: {
    method: "PATCH",
    path: "/v1/sessions/{sessionId}/prompts/{promptId}",
    tag: "prompts",
    role: "prompt",
    summary: "Edit a queued prompt",
    body: { kind: "json", schema: editBody, maxBytes: bodyLimits.prompt },
    answers: { 200: prompt },
    errors: ["unknownSession", "unknownPrompt", "notWaiting", "takenIn", "staleRevision"],
  },
  movePrompt: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/prompts/{promptId}/move",
    tag: "prompts",
    role: "prompt",
    summary: "Move a queued prompt before another, or to the end",
    body: { kind: "json", schema: moveBody, maxBytes: bodyLimits.small },
    answers: { 200: prompt },
    errors: ["unknownSession", "unknownPrompt", "notWaiting", "takenIn"],
  },
  promotePrompt: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/prompts/{promptId}/promote",
    tag: "prompts",
    role: "prompt",
    summary: "Run a queued prompt now: put it first and stop the active run",
    answers: { 200: prompt },
    errors: ["unknownSession", "unknownPrompt", "notWaiting", "takenIn"],
  },
  withdrawPrompt: {
    method: "DELETE",
    path: "/v1/sessions/{sessionId}/prompts/{promptId}",
    tag: "cancel",
    role: "propose",
    summary: "Cancel one prompt",
    description:
      "A queued prompt is withdrawn. For a prompt that started a run, the run and all prompts that joined it are cancelled. For a prompt that joined a run, the request is refused.",
    query: withdrawQuery,
    answers: { 200: receipt },
    errors: ["unknownSession", "unknownPrompt", "takenIn"],
  },
  cancelSession: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/cancel",
    tag: "cancel",
    role: "propose",
    summary: "Cancel all unsettled prompts of a session",
    description: "A prompt accepted after the cancel is never affected.",
    body: { kind: "json", schema: cancelBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 200: receipt },
    errors: ["unknownSession"],
  },
  clearQueue: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/queue/clear",
    tag: "cancel",
    role: "prompt",
    summary: "Cancel the queued prompts and keep the active run",
    body: { kind: "json", schema: clearBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 200: receipt },
    errors: ["unknownSession"],
  },
} as const satisfies Record<string, Route>;
