import { attachmentSchema, maxAttachmentBytes, uploadQuery } from "../attachment.ts";
import { eventSchema } from "../event.ts";
import type { Route } from "../route.ts";
import { streamQuery } from "../stream.ts";

const stream = {
  kind: "raw",
  contentType: "text/event-stream",
  description:
    "`event:` the type, `data:` a WireEvent. Then `live` (the whole log was sent), `snapshot` (the step in progress so far) and `delta`, all without an id. `reset`: the store's history differs from the one that the reader has seen, as after a restored backup; read the state again. `draining`: the server is shutting down. `closed`: the last event, with the reason.",
} as const;

const download = {
  kind: "raw",
  contentType: "application/octet-stream",
  description: "its content, always as a download",
} as const;

export const eventRoutes = {
  followSession: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/events",
    tag: "events",
    role: "observe",
    summary: "Follow a session: every event once, in order, then live",
    description:
      "Server-sent events with ids `<seq>-<at>`. `Last-Event-ID` or `after` resumes after the event with this id, even after a server restart. A seq alone also works. With the full id, the server sends `reset` if a restored backup does not contain the event.",
    query: streamQuery,
    answers: { 200: stream },
    errors: ["unknownSession", "badCursor"],
  },
  getEvent: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/events/{seq}",
    tag: "events",
    role: "observe",
    summary: "Get one event with its whole content",
    answers: { 200: { kind: "json", schema: eventSchema, description: "the event" } },
    errors: ["unknownSession", "unknownEvent"],
  },
  getEventFile: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/events/{seq}/files/{hash}",
    tag: "events",
    role: "observe",
    summary: "Download a file of an event",
    description:
      "A file from `files` in the content of a `tool.ended` event. The first event of a fork or an import lists all files that came with it.",
    answers: { 200: download },
    errors: ["unknownSession", "unknownEvent", "unknownAttachment"],
  },
  followAll: {
    method: "GET",
    path: "/v1/events",
    tag: "events",
    role: "observe",
    summary: "Follow all sessions, in order within each",
    description:
      "Server-sent events with an opaque id to resume from. Refreshes and closes are sent as `maintenance` (a MaintenanceEvent) without an id: open ones first, then every change.",
    query: streamQuery,
    answers: { 200: stream },
    errors: ["badCursor"],
  },
  uploadAttachment: {
    method: "POST",
    path: "/v1/attachments",
    tag: "attachments",
    role: "propose",
    summary: "Upload an attachment",
    description:
      "The body is the content, `content-type` is its type. Prompts refer to the attachment by its hash and keep it. An upload that no prompt has used is deleted after a day.",
    query: uploadQuery,
    body: { kind: "bytes", maxBytes: maxAttachmentBytes },
    answers: {
      201: { kind: "json", schema: attachmentSchema, description: "hash of the attachment" },
    },
  },
  getUpload: {
    method: "GET",
    path: "/v1/attachments/{hash}",
    tag: "attachments",
    role: "observe",
    summary: "Download an upload that no prompt has used yet",
    answers: { 200: download },
    errors: ["unknownAttachment"],
  },
  getAttachment: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/prompts/{promptId}/attachments/{hash}",
    tag: "attachments",
    role: "observe",
    summary: "Download an attachment of a prompt",
    answers: { 200: download },
    errors: ["unknownSession", "unknownPrompt", "unknownAttachment"],
  },
} as const satisfies Record<string, Route>;
