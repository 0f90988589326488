import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { holdSchema } from "./hold.ts";
import {
  budgetInput,
  budgetSchema,
  onBudgetSchema,
  outcomeSchema,
  usageSchema,
} from "./outcome.ts";
import { pageQuery, pageSchema } from "./page.ts";
import {
  directorySchema,
  idSchema,
  lineSchema,
  queryFlag,
  queryList,
  timeSchema,
  wholeSchema,
} from "./scalars.ts";

export const sessionParentSchema = z.object({ sessionId: z.string(), runId: z.string() });

/** `asking`: the run waits for a person. `cutOff`: the run's process has ended, and a process will resume the run. */
export const sessionStatusSchema = component("SessionStatus", () =>
  z.enum([
    "idle",
    "queued",
    "running",
    "asking",
    "stopping",
    "cutOff",
    "working",
    "held",
    "deleted",
  ]),
);

/**
 * `ask`: the permission rules decide. `acceptEdits`: changes to files in the directory need no permission. `plan`: tool
 * calls that change something are refused.
 */
export const sessionModeSchema = component("SessionMode", () =>
  z.enum(["ask", "acceptEdits", "plan"]),
);

const summary = {
  sessionId: z.string(),
  directory: z.string(),
  title: z.string().nullable(),
  archived: z.boolean(),
  mode: sessionModeSchema
    .nullable()
    .describe("the permission mode; null: a child session that uses the mode of its parent"),
  agent: z
    .string()
    .nullable()
    .describe("agent of runs whose prompt names none; null: the default agent of the directory"),
  parent: sessionParentSchema.nullable().describe("the run that created it, for a child session"),
  status: sessionStatusSchema,
  seq: wholeSchema.describe("seq of the last event in its log"),
  queued: wholeSchema.describe("number of queued prompts and works"),
  openAsks: wholeSchema,
  runId: z.string().nullable().describe("the active run"),
  holds: z.array(holdSchema),
  usage: usageSchema,
  budget: budgetSchema.nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const sessionSchema = component("Session", () => z.object(summary));
export type Session = Wire<typeof sessionSchema>;

const queueItem = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("prompt"),
    promptId: z.string(),
    acceptSeq: wholeSchema,
    revision: wholeSchema,
    binding: z
      .object({ runId: z.string(), expected: z.boolean() })
      .nullable()
      .describe("the run that a steer waits to join"),
    reply: z.boolean(),
    expiresAt: timeSchema.nullable(),
  }),
  z.object({
    kind: z.literal("work"),
    workId: z.string(),
    acceptSeq: wholeSchema,
    name: z.string(),
  }),
]);

const activeRun = z.object({
  kind: z.literal("run"),
  runId: z.string(),
  startedBy: z.string().describe("the prompt that started the run"),
  attempt: wholeSchema,
  owner: z.string().nullable().describe("the process that executes it"),
  status: z.enum(["running", "stopping", "closing"]),
  stage: z.enum(["boundary", "model", "tools"]),
  step: wholeSchema,
  prompts: z
    .array(z.string())
    .describe("the prompt that started the run, then the prompts that joined it"),
  openCalls: z.array(z.object({ callId: z.string(), started: z.boolean() })),
  openAsks: z.array(z.string()),
  children: z.array(
    z.object({
      sessionId: z.string(),
      promptId: z.string(),
      outcome: outcomeSchema.nullable(),
    }),
  ),
  usage: usageSchema,
  deadline: timeSchema.nullable(),
  cutOffAt: timeSchema.nullable(),
});

const activeWork = z.object({
  kind: z.literal("work"),
  workId: z.string(),
  name: z.string(),
  owner: z.string().nullable(),
  status: z.enum(["running", "stopping"]),
});

/** A session with its queue and active run. */
export const sessionDetailSchema = component("SessionDetail", () =>
  z.object({
    ...summary,
    queue: z.array(queueItem).describe("in the order in which they will run"),
    active: z.discriminatedUnion("kind", [activeRun, activeWork]).nullable(),
    background: z.array(
      z.object({ sessionId: z.string(), promptId: z.string(), runId: z.string() }),
    ),
  }),
);
export type SessionDetail = Wire<typeof sessionDetailSchema>;

export const sessionPageSchema = pageSchema("SessionPage", sessionSchema);

export const titleSchema = lineSchema(200);

const agentSchema = lineSchema(200).nullable();

export const createSessionBody = component("SessionInput", () =>
  z.strictObject({
    sessionId: idSchema
      .optional()
      .describe("id chosen by the sender; a repeated request returns the same session"),
    directory: directorySchema,
    title: titleSchema.nullable().optional(),
    budget: budgetInput
      .nullable()
      .optional()
      .describe(
        "limit for all its prompts and every prompt that their runs send to other sessions",
      ),
    onBudget: onBudgetSchema.optional(),
    agent: agentSchema
      .optional()
      .describe(
        "agent of runs whose prompt names none; default: the default agent of the directory",
      ),
  }),
);

export const changeSessionBody = component("SessionChange", () =>
  z
    .strictObject({
      title: titleSchema.optional(),
      archived: z.boolean().optional(),
      mode: sessionModeSchema
        .optional()
        .describe("applies to the session's child sessions too, and from the next tool call on"),
      agent: agentSchema
        .optional()
        .describe("applies from the next run on; null: the default agent of the directory"),
    })
    .refine((change) => Object.values(change).some((value) => value !== undefined), {
      error: "must have a title, archived, mode or agent",
    }),
);

export const forkBody = component("ForkInput", () =>
  z.strictObject({
    sessionId: idSchema.optional().describe("id of the new session"),
    at: wholeSchema
      .nullable()
      .optional()
      .describe("seq of the last message to include; default: all messages"),
    before: idSchema
      .optional()
      .describe("id of the first prompt to leave out; default: no prompt is left out"),
  }),
);

export const sessionsQuery = {
  ...pageQuery,
  directory: directorySchema.optional(),
  search: lineSchema(200).optional().describe("searches title, directory and id; case-insensitive"),
  archived: queryFlag
    .optional()
    .describe("false: without archived sessions; true: only archived sessions"),
  status: queryList(sessionStatusSchema.unwrap().exclude(["deleted"]))
    .optional()
    .describe("only sessions with this status; may be given more than once"),
};

export const documentSchema = component("SessionDocument", () =>
  z.record(z.string(), z.unknown()).describe("an exported session"),
);

export const importQuery = {
  sessionId: idSchema.optional().describe("id of the new session"),
  directory: directorySchema
    .optional()
    .describe("directory of the new session; default: the directory of the document"),
};
