import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pageQuery } from "./page.ts";
import { queryFlag, timeSchema, wholeSchema } from "./scalars.ts";

// Stream items that are not events. They have no id: a reader resumes after its last event.

const step = { runId: z.string(), step: wholeSchema, attempt: wholeSchema };

/** `event: delta`: a piece of the step in progress. May be dropped; the log contains the whole text later (T3). */
export const deltaSchema = component("Delta", () =>
  z.object({
    sessionId: z.string(),
    ...step,
    kind: z
      .enum(["text", "reasoning", "tool", "restart"])
      .describe("restart: the step starts over, discard its earlier deltas"),
    callId: z.string().nullable(),
    text: z.string(),
  }),
);
export type Delta = Wire<typeof deltaSchema>;

/** `event: snapshot`: the content of the step in progress up to now. Later deltas continue it. */
export const snapshotSchema = component("Snapshot", () =>
  z.object({
    sessionId: z.string(),
    ...step,
    text: z.string(),
    reasoning: z.string(),
    calls: z.array(z.object({ callId: z.string(), text: z.string() })),
    cut: z.boolean().describe("true: the beginning is left out because it is too long"),
  }),
);
export type Snapshot = Wire<typeof snapshotSchema>;

/** `event: live`: the whole log was sent. New events follow. */
export const liveSchema = component("Live", () =>
  z.object({
    seq: wholeSchema.nullable().describe("seq of the last event; null when following all sessions"),
    cursor: z.string().describe("cursor to resume with, even before the first event"),
  }),
);

/**
 * `event: reset`: the log no longer contains all events that the reader has seen, for example after a backup was
 * restored. Read the state again and continue from this cursor.
 */
export const resetSchema = component("Reset", () => z.object({ cursor: z.string() }));

/** `event: draining`: the server is shutting down. The stream continues until `closed`. */
export const drainingSchema = component("Draining", () =>
  z.object({
    until: timeSchema.describe("when active runs are handed over, by the server's clock"),
  }),
);

/** `event: closed`: the last item before the server closes the stream. Resume with `after`. */
export const closedSchema = component("Closed", () =>
  z.object({
    reason: z.enum(["slowReader", "draining", "revoked", "reset"]),
    after: z.string().nullable(),
  }),
);

export const streamQuery = {
  after: pageQuery.after.describe(
    "id of the last event seen, or its seq when following one session; `now`: only new events",
  ),
  deltas: queryFlag.optional().describe("false: without deltas and snapshots"),
  follow: queryFlag.optional().describe("false: end after the last event in the log"),
};
