import { attachmentSchema, maxAttachmentBytes, uploadQuery } from "../attachment.ts";
import { eventSchema } from "../event.ts";
import type { Route } from "../route.ts";
import { streamQuery } from "../stream.ts";

const stream = {
  kind: "raw",
  contentType: "text/event-stream",
  description:
    "`event:` the type, `data:` a WireEvent. Then `live` (all that was in the log has been sent), `snapshot` (the step in flight so far) and `delta`, which have no id. `reset`: the store has another past than the reader has seen, as after a backup was put back; it is to read the state anew. `draining`: the server was told to stop. `closed`: the last event, with the reason.",
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
      "Server-sent events, with ids `<seq>-<at>`. `Last-Event-ID` or `after` resumes after the event with that id, also after a restart of the server. A seq alone will do; but who gives the time of its event as well is told (`reset`) when a backup was put back that does not have it.",
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
    summary: "Download a file that an event names",
    description:
      "One of the `files` in the content of a `tool.ended`. The first event of a fork or an import names all files that came along with it.",
    answers: { 200: download },
    errors: ["unknownSession", "unknownEvent", "unknownAttachment"],
  },
  followAll: {
    method: "GET",
    path: "/v1/events",
    tag: "events",
    role: "observe",
    summary: "Follow all sessions: in order within each",
    description:
      "Server-sent events with an opaque id, to resume from. Refreshes and closes come as `maintenance` (a MaintenanceEvent), which has no id: those that are open first, then each as it gets further.",
    query: streamQuery,
    answers: { 200: stream },
    errors: ["badCursor"],
  },
  uploadAttachment: {
    method: "POST",
    path: "/v1/attachments",
    tag: "attachments",
    role: "propose",
    summary: "Upload an attachment, to be referred to by its hash",
    description:
      "The body is the content as it is; its type is what `content-type` says. Prompts keep what they refer to; an upload that no prompt has used is forgotten after a day.",
    query: uploadQuery,
    body: { kind: "bytes", maxBytes: maxAttachmentBytes },
    answers: {
      201: { kind: "json", schema: attachmentSchema, description: "what to refer to it by" },
    },
  },
  getUpload: {
    method: "GET",
    path: "/v1/attachments/{hash}",
    tag: "attachments",
    role: "observe",
    summary: "Download what was uploaded, while no prompt has to keep it",
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
