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
    startedBy: z.string().describe("the prompt that started it"),
    prompts: z.array(z.string()).describe("the starting prompt, then those taken in"),
    status: z.enum(["running", "stopping", "closing", "suspended", "handedOver", "ended"]),
    attempt: wholeSchema,
    steps: wholeSchema,
    startedAt: timeSchema,
    endedAt: timeSchema.nullable(),
    outcome: outcomeSchema.nullable(),
    usage: usageSchema,
  }),
);
export type Run = Wire<typeof runSchema>;

export const runPageSchema = pageSchema("RunPage", runSchema);

export const stepSchema = component(
  "Step",
  z.object({
    runId: z.string(),
    step: wholeSchema,
    attempt: wholeSchema,
    openedAt: timeSchema,
    answeredAt: timeSchema.nullable(),
    text: z.string().nullable().describe("null until the model has answered"),
    interrupted: z.boolean(),
    calls: z.array(
      z.object({
        callId: z.string(),
        name: z.string(),
        input: z.unknown(),
        status: z.union([z.literal("open"), toolStatusSchema]),
        output: z.string().nullable(),
        startedAt: timeSchema.nullable(),
        endedAt: timeSchema.nullable(),
      }),
    ),
    usage: usageSchema,
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

/** Undoing is exclusive work on the session: it has its place in the queue (M8). */
export const revertSchema = component(
  "Revert",
  z.object({
    workId: z.string(),
    status: z.enum(["queued", "running", "ended"]),
    done: z.array(z.string()).describe("files that were put back"),
    problem: z
      .object({ path: z.string(), message: z.string() })
      .nullable()
      .describe("the first file that could not be put back; those after it were left"),
  }),
);
export type Revert = Wire<typeof revertSchema>;

export const revertBody = component(
  "RevertInput",
  z.strictObject({
    workId: idSchema.optional().describe("chosen by the sender: sending it again undoes once"),
    overwrite: z.boolean().optional().describe("also files that others have changed since"),
  }),
);
