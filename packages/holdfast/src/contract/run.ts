import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { toolStatusSchema } from "./message.ts";
import { outcomeSchema, usageSchema } from "./outcome.ts";
import { pageSchema } from "./page.ts";
import { idSchema, queryNumber, timeSchema, wholeSchema } from "./scalars.ts";

export const runSchema = component("Run", () =>
  z.object({
    sessionId: z.string(),
    runId: z.string(),
    seq: wholeSchema.describe("seq of its first event"),
    status: z
      .enum(["running", "suspended", "stopping", "closing", "ended"])
      .describe("suspended: waits for a person or for a takeover"),
    promptIds: z
      .array(z.string())
      .describe("the prompt that started the run, then the prompts that joined it"),
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

export const stepSchema = component("Step", () =>
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
        status: toolStatusSchema.nullable().describe("null until the call has a result"),
      }),
    ),
  }),
);
export type Step = Wire<typeof stepSchema>;

export const stepListSchema = component("StepList", () => z.object({ items: z.array(stepSchema) }));

const fileChangeFields = {
  path: z.string().describe("absolute path"),
  status: z.enum(["created", "changed", "deleted", "renamed"]),
  from: z
    .string()
    .nullable()
    .describe("absolute path before the file was renamed; null: not renamed"),
  runIds: z.array(z.string()).describe("runs that changed the file, in order"),
  added: wholeSchema
    .nullable()
    .describe("added lines; null if not counted, for example because the content is not text"),
  removed: wholeSchema.nullable().describe("removed lines; null if not counted"),
  binary: z.boolean().describe("true: the content is not text"),
  others: z
    .enum(["during", "since"])
    .nullable()
    .describe(
      "when something other than the runs changed the file too. during: between the changes of the runs; since: after them; null: never",
    ),
  problem: z.string().nullable().describe("why the file cannot be read now"),
};

/** Files that a session or run has changed. */
export const changesSchema = component("Changes", () =>
  z.object({
    files: z.array(z.object(fileChangeFields)),
    omitted: wholeSchema.describe("number of changed files that are left out"),
    commands: z
      .array(
        z.object({
          runId: z.string(),
          callId: z.string(),
          summary: z.string(),
          at: timeSchema,
          files: z
            .array(z.string())
            .describe("absolute paths of files that last changed while the command ran"),
        }),
      )
      .describe("commands and other actions whose file changes are not recorded"),
    background: z
      .array(z.string())
      .describe(
        "ids of background sessions that the runs started; each has a list of its own changes",
      ),
  }),
);
export type Changes = Wire<typeof changesSchema>;

export const wholeChangeSchema = component("WholeChange", () =>
  z.object({
    ...fileChangeFields,
    diff: z
      .string()
      .nullable()
      .describe("unified diff; null if the content is not text or cannot be read"),
    sizes: z
      .object({ before: wholeSchema.nullable(), after: wholeSchema.nullable() })
      .describe("size in bytes before and after the change; null: the file did not exist"),
  }),
);
export type WholeChange = Wire<typeof wholeChangeSchema>;

const scopeQuery = {
  runId: idSchema.optional().describe("only the changes of this run; default: all runs"),
};

export const changesQuery = scopeQuery;

export const changeQuery = {
  ...scopeQuery,
  path: z.string().min(1).max(4096).describe("absolute path of a changed file"),
  context: queryNumber(0, 1_000_000)
    .optional()
    .describe("number of unchanged lines around each change; 3 if left out"),
};

/** Preview of an undo. */
export const revertPlanSchema = component("RevertPlan", () =>
  z.object({
    files: z.array(
      z.object({
        path: z.string(),
        removes: z.boolean().describe("true: the run created the file, and the undo deletes it"),
        conflict: z
          .string()
          .nullable()
          .describe("why undoing the run would also undo other changes"),
        diff: z.string(),
      }),
    ),
    unknown: z
      .array(z.string())
      .describe("other actions of the run, whose file changes are unknown"),
    background: z.array(z.string()).describe("background sessions, which are undone separately"),
  }),
);
export type RevertPlan = Wire<typeof revertPlanSchema>;

export const revertBody = component("RevertInput", () =>
  z.strictObject({
    workId: idSchema
      .optional()
      .describe("id chosen by the sender; repeated requests with the same id undo once"),
    overwrite: z
      .boolean()
      .optional()
      .describe("true: also undo files that others have changed since"),
    files: z
      .array(z.string().min(1).max(4096))
      .min(1)
      .max(1_000)
      .optional()
      .describe("paths of the plan to undo; default: all files of the plan"),
  }),
);
