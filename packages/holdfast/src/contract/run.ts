import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { toolStatusSchema } from "./message.ts";
import { outcomeSchema, usageSchema } from "./outcome.ts";
import { pageSchema } from "./page.ts";
import { idSchema, timeSchema, wholeSchema } from "./scalars.ts";

export const runSchema = component(
  "Run",
  z.object({
    sessionId: z.string(),
    runId: z.string(),
    seq: wholeSchema.describe("where it began in the log"),
    status: z
      .enum(["running", "suspended", "stopping", "closing", "ended"])
      .describe("suspended: it waits for a person, or to be taken over"),
    promptIds: z.array(z.string()).describe("the prompt that started it, then those taken in"),
    attempt: wholeSchema,
    owner: z.string().nullable().describe("the process that executes it"),
    startedAt: timeSchema,
    endedAt: timeSchema.nullable(),
    steps: wholeSchema,
    usage: usageSchema,
    outcome: outcomeSchema.nullable(),
  }),
);
export type Run = Wire<typeof runSchema>;

export const runPageSchema = pageSchema("RunPage", runSchema);

export const stepSchema = component(
  "Step",
  z.object({
    step: wholeSchema,
    attempt: wholeSchema,
    openedAt: timeSchema,
    answeredAt: timeSchema.nullable().describe("null until the model has answered"),
    interrupted: z.boolean(),
    usage: usageSchema,
    calls: z.array(
      z.object({
        callId: z.string(),
        name: z.string(),
        repeatable: z.boolean(),
        startedAt: timeSchema.nullable(),
        endedAt: timeSchema.nullable(),
        status: toolStatusSchema.nullable().describe("null until it has a result"),
      }),
    ),
  }),
);
export type Step = Wire<typeof stepSchema>;

export const stepListSchema = component("StepList", z.object({ items: z.array(stepSchema) }));

/** What undoing a run would do. */
export const revertPlanSchema = component(
  "RevertPlan",
  z.object({
    files: z.array(
      z.object({
        path: z.string(),
        removes: z.boolean().describe("the run made the file: undoing that removes it"),
        conflict: z
          .string()
          .nullable()
          .describe("why undoing the run would undo more than the run"),
        diff: z.string(),
      }),
    ),
    unknown: z
      .array(z.string())
      .describe("what else the run did; nothing is known of the files that it changed"),
    background: z.array(z.string()).describe("sessions that are undone on their own"),
  }),
);
export type RevertPlan = Wire<typeof revertPlanSchema>;

export const revertBody = component(
  "RevertInput",
  z.strictObject({
    workId: idSchema.optional().describe("chosen by the sender: sending it again undoes once"),
    overwrite: z.boolean().optional().describe("also files that others have changed since"),
  }),
);
