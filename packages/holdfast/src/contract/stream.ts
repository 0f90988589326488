import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pageQuery } from "./page.ts";
import { queryFlag, timeSchema, wholeSchema } from "./scalars.ts";

// What a stream of events carries besides events. These have no id: a reader that comes back
// resumes after the last event that it has seen.

const step = { runId: z.string(), step: wholeSchema, attempt: wholeSchema };

/** `event: delta`: a piece of what is being made. May be dropped; the log has it all later (T3). */
export const deltaSchema = component(
  "Delta",
  z.object({
    sessionId: z.string(),
    ...step,
    kind: z
      .enum(["text", "reasoning", "tool", "restart"])
      .describe("restart: the step begins anew, earlier pieces of it are taken back"),
    callId: z.string().nullable(),
    text: z.string(),
  }),
);
export type Delta = Wire<typeof deltaSchema>;

/** `event: snapshot`: what has come so far of the step in flight; deltas go on from here. */
export const snapshotSchema = component(
  "Snapshot",
  z.object({
    sessionId: z.string(),
    ...step,
    text: z.string(),
    reasoning: z.string(),
    calls: z.array(z.object({ callId: z.string(), text: z.string() })),
    cut: z.boolean().describe("there was more; some of what came first is left out"),
  }),
);
export type Snapshot = Wire<typeof snapshotSchema>;

/** `event: live`: all that was in the log has been sent; what follows happens now. */
export const liveSchema = component(
  "Live",
  z.object({
    seq: wholeSchema.nullable().describe("of the last event; null when all sessions are followed"),
    cursor: z.string().describe("what to resume with, also before the first event"),
  }),
);

/**
 * `event: reset`: what was seen is not, or not all, in the log any more, as after a backup was put back.
 * Read the state anew and go on from this cursor.
 */
export const resetSchema = component("Reset", z.object({ cursor: z.string() }));

/** `event: draining`: the server was told to stop. The stream goes on until it is `closed`. */
export const drainingSchema = component(
  "Draining",
  z.object({ until: timeSchema.describe("when active runs are handed over, by its clock") }),
);

/** `event: closed`: the last one; the server ends the stream. Come back with `after`. */
export const closedSchema = component(
  "Closed",
  z.object({
    reason: z.enum(["slowReader", "draining", "revoked", "reset"]),
    after: z.string().nullable(),
  }),
);

export const streamQuery = {
  after: pageQuery.after.describe(
    "the id of the last event that was seen, or for one session its seq; `now`: only what is to come",
  ),
  deltas: queryFlag.optional().describe("false: without deltas and snapshots"),
  follow: queryFlag.optional().describe("false: end when all that is in the log has been sent"),
};
