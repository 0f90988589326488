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
      "With a `sessionId` of your own the request can be repeated: the same content answers the same session, other content is refused with `conflict`.",
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
    answers: { 200: { kind: "json", schema: sessionPageSchema, description: "a page of them" } },
    errors: ["badCursor"],
  },
  importSession: {
    method: "POST",
    path: "/v1/sessions/import",
    tag: "sessions",
    role: "prompt",
    summary: "Create a session from an exported document",
    description: "It begins with the document's messages. Work that was unsettled is not imported.",
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
    summary: "Get a session with what waits and what runs in it",
    answers: { 200: session },
    errors: ["unknownSession"],
  },
  changeSession: {
    method: "PATCH",
    path: "/v1/sessions/{sessionId}",
    tag: "sessions",
    role: "prompt",
    summary: "Rename a session, or archive it",
    description:
      "Archiving is a label: nothing stops, and the next prompt takes the label off again.",
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
      "One commit cancels all that is unsettled and refuses new prompts. The ledger goes on to answer for its prompts.",
    answers: { 200: session },
    errors: ["unknownSession"],
  },
  forkSession: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/fork",
    tag: "sessions",
    role: "propose",
    summary: "Create a session that begins with this one's messages up to a place",
    body: { kind: "json", schema: forkBody, maxBytes: bodyLimits.small, optional: true },
    answers: { 201: session },
    errors: ["unknownSession", "conflict", "deleted"],
  },
  listChildren: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/children",
    tag: "sessions",
    role: "observe",
    summary: "List the sessions that this one's runs have made",
    query: pageQuery,
    answers: { 200: { kind: "json", schema: sessionPageSchema, description: "a page of them" } },
    errors: ["unknownSession", "badCursor"],
  },
  listMessages: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/messages",
    tag: "sessions",
    role: "observe",
    summary: "Read a session's messages, oldest first",
    query: pageQuery,
    answers: { 200: { kind: "json", schema: messagePageSchema, description: "a page of them" } },
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
        description: "the document, as it is read from the log",
      },
    },
    errors: ["unknownSession"],
  },
} as const satisfies Record<string, Route>;
