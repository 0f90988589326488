import { messagePageSchema } from "../message.ts";
import { pageQuery } from "../page.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";
import {
  changeSessionBody,
  createSessionBody,
  documentSchema,
  forkBody,
  importQuery,
  sessionDetailSchema,
  sessionPageSchema,
  sessionsQuery,
} from "../session.ts";

const session = { kind: "json", schema: sessionDetailSchema, description: "the session" } as const;

export const sessionRoutes = {
  createSession: {
    method: "POST",
    path: "/v1/sessions",
    tag: "sessions",
    role: "propose",
    summary: "Create a session in a directory",
    description:
      "With your own `sessionId`, the request can be repeated: the same content returns the same session, other content is refused with `conflict`.",
    body: { kind: "json", schema: createSessionBody, maxBytes: bodyLimits.small },
    answers: { 201: session },
    errors: ["conflict", "deleted"],
  },
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
    tag: "sessions",
    role: "observe",
    summary: "List sessions, latest activity first",
    query: sessionsQuery,
    answers: {
      200: { kind: "json", schema: sessionPageSchema, description: "a page of sessions" },
    },
    errors: ["badCursor"],
  },
  importSession: {
    method: "POST",
    path: "/v1/sessions/import",
    tag: "sessions",
    role: "prompt",
    summary: "Create a session from an exported document",
    description:
      "The session begins with the messages of the document. Unsettled work is not imported.",
    query: importQuery,
    body: { kind: "document", schema: documentSchema, maxBytes: bodyLimits.document },
    answers: { 201: session },
    errors: ["conflict", "deleted", "queueFull"],
  },
  getSession: {
    method: "GET",
    path: "/v1/sessions/{sessionId}",
    tag: "sessions",
    role: "observe",
    summary: "Get a session with its queue and active run",
    answers: { 200: session },
    errors: ["unknownSession"],
  },
  changeSession: {
    method: "PATCH",
    path: "/v1/sessions/{sessionId}",
    tag: "sessions",
    role: "prompt",
    summary: "Rename or archive a session, or set its permission mode or agent",
    description:
      "Archiving only sets a label: nothing stops, and the next prompt removes the label. A new mode applies from the next tool call on, a new agent from the next run on.",
    body: { kind: "json", schema: changeSessionBody, maxBytes: bodyLimits.small },
    answers: { 200: session },
    errors: ["unknownSession", "deleted"],
  },
  deleteSession: {
    method: "DELETE",
    path: "/v1/sessions/{sessionId}",
    tag: "sessions",
    role: "prompt",
    summary: "Delete a session",
    description:
      "One commit cancels all unsettled prompts and refuses new ones. The outcomes of its prompts stay in the ledger.",
    answers: { 200: session },
    errors: ["unknownSession"],
  },
  forkSession: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/fork",
    tag: "sessions",
    role: "propose",
    summary: "Create a session from this one's messages up to a position",
    body: { kind: "json", schema: forkBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 201: session },
    errors: ["unknownSession", "unknownPrompt", "conflict", "deleted"],
  },
  listChildren: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/children",
    tag: "sessions",
    role: "observe",
    summary: "List the child sessions of a session",
    query: pageQuery,
    answers: {
      200: { kind: "json", schema: sessionPageSchema, description: "a page of sessions" },
    },
    errors: ["unknownSession", "badCursor"],
  },
  listMessages: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/messages",
    tag: "sessions",
    role: "observe",
    summary: "Read the messages of a session, oldest first",
    query: pageQuery,
    answers: {
      200: { kind: "json", schema: messagePageSchema, description: "a page of messages" },
    },
    errors: ["unknownSession", "badCursor"],
  },
  exportSession: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/export",
    tag: "sessions",
    role: "observe",
    summary: "Export a session as a document",
    answers: {
      200: {
        kind: "json",
        schema: documentSchema,
        description: "the document, streamed from the log",
      },
    },
    errors: ["unknownSession"],
  },
} as const satisfies Record<string, Route>;
