import { z } from "zod";
import { attachmentSchema, maxAttachments } from "./attachment.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { budgetInput, onBudgetSchema, outcomeSchema, usageSchema } from "./outcome.ts";
import { pageSchema } from "./page.ts";
import { receiptSchema } from "./receipt.ts";
import {
  actorSchema,
  emptyTextSchema,
  hashSchema,
  idSchema,
  lineSchema,
  queryNumber,
  textSchema,
  timeSchema,
  wholeSchema,
} from "./scalars.ts";

export const deliverySchema = component("Delivery", () =>
  z.enum(["queue", "steer", "interrupt", "ifIdle"]),
);

export const parentLinkSchema = z.object({
  sessionId: z.string(),
  runId: z.string(),
  background: z.boolean(),
});

export const resultOfSchema = z.object({
  sessionId: z.string(),
  promptId: z.string(),
  outcome: outcomeSchema,
  usage: usageSchema,
  branch: z.literal(true).optional().describe("true: the child still has live descendants"),
});

export const commandSchema = component("CommandUse", () =>
  z.strictObject({
    name: lineSchema(200).describe("without the slash"),
    arguments: z.string().max(100_000).describe("text after the command name"),
  }),
);

const sentCommandSchema = component("SentCommand", () =>
  commandSchema.unwrap().extend({
    builtIn: z
      .literal(true)
      .optional()
      .describe("true: a built-in command; its text is shown to people and not sent to the model"),
  }),
);

export type SentCommand = Wire<typeof sentCommandSchema>;

/** Reasoning effort, from lowest to highest. */
export const effortSchema = component("Effort", () =>
  z.enum(["minimal", "low", "medium", "high", "xhigh", "max"]),
);

/** Agent, model, reasoning effort and command of a prompt. A field is missing if the sender did not set it. */
export const named = {
  agent: z.string().optional().describe("agent that the sender named"),
  model: z.string().optional().describe("model that the sender named, as provider/model"),
  agentMode: z.string().optional().describe("mode of a hosted agent that the sender named"),
  effort: effortSchema.optional().describe("effort that the sender named"),
  thinking: z.boolean().optional().describe("thinking as the sender set it"),
  command: sentCommandSchema.optional().describe("command that the text was made from"),
};

const entry = {
  sessionId: z.string(),
  promptId: z.string(),
  acceptSeq: wholeSchema.describe("seq of the event that accepted it"),
  contentHash: z.string().nullable().describe("null if only its cancel has arrived"),
  body: z.string().nullable(),
  text: z.string().nullable().describe("current text; null if none has arrived"),
  attachments: z.array(attachmentSchema),
  ...named,
  revision: wholeSchema.describe("increased by every edit"),
  delivery: deliverySchema,
  reply: z.boolean(),
  actor: actorSchema,
  acceptedAt: timeSchema,
  parent: parentLinkSchema
    .nullable()
    .describe("the run that sent it, for a prompt in a child session"),
  resultOf: resultOfSchema
    .nullable()
    .describe("the background child whose outcome the prompt delivers"),
  receipt: receiptSchema.nullable().describe("receipt of what an interrupting prompt cancelled"),
};

/** A prompt's entry in the ledger (P4), with its text and, once the prompt is settled, its result. */
export const promptSchema = component("Prompt", () =>
  z.discriminatedUnion("status", [
    z.object({
      ...entry,
      status: z.literal("queued"),
      runId: z.null(),
      outcome: z.null(),
      result: z.null(),
      settledAt: z.null(),
    }),
    z.object({
      ...entry,
      status: z.literal("running"),
      runId: z.string(),
      outcome: z.null(),
      result: z.null(),
      settledAt: z.null(),
    }),
    z.object({
      ...entry,
      status: z.literal("settled"),
      runId: z.string().nullable(),
      outcome: outcomeSchema,
      result: z.string().nullable().describe("the final answer, or the error message"),
      settledAt: timeSchema,
    }),
  ]),
);
export type Prompt = Wire<typeof promptSchema>;

export const promptPageSchema = pageSchema("PromptPage", promptSchema);

export const promptBody = component("PromptInput", () =>
  z.strictObject({
    promptId: idSchema
      .optional()
      .describe("id chosen by the sender; repeated requests with the same id count once"),
    text: emptyTextSchema()
      .optional()
      .describe("may be empty or missing only with a command or attachments"),
    command: commandSchema
      .optional()
      .describe("replaces the text: the command is expanded when the prompt is accepted"),
    agent: lineSchema(200).optional().describe("agent to use if the prompt starts a run"),
    model: lineSchema(300)
      .optional()
      .describe(
        "model to use if the prompt starts a run, as provider/model; for a hosted agent the id of one of its models, which later prompts in this session also use",
      ),
    agentMode: lineSchema(200)
      .optional()
      .describe(
        "mode of a hosted agent if the prompt starts a run; later prompts in this session also use it",
      ),
    effort: effortSchema
      .optional()
      .describe(
        "amount of reasoning if the prompt starts a run; a level that the model does not have becomes the nearest one",
      ),
    thinking: z
      .boolean()
      .optional()
      .describe("false: the model answers without thinking first, if it can"),
    attachments: z
      .array(hashSchema)
      .max(maxAttachments)
      .optional()
      .describe("hashes of uploaded attachments"),
    delivery: deliverySchema.optional().describe("effect on a busy session; default: `queue`"),
    reply: z
      .boolean()
      .optional()
      .describe("false: add the prompt to the conversation without starting a run"),
    expectedRunId: idSchema.nullable().optional().describe("the only run that a steer may join"),
    expiresAt: timeSchema
      .nullable()
      .optional()
      .describe("deadline: a prompt that is still queued then ends as `failed: expired`"),
    maxRunTime: z
      .int()
      .min(0)
      .max(30 * 24 * 3_600_000)
      .nullable()
      .optional()
      .describe("in milliseconds"),
    budget: budgetInput
      .nullable()
      .optional()
      .describe("limit for its run and every prompt that the run sends to other sessions"),
    onBudget: onBudgetSchema.optional(),
  }),
);
export type PromptInput = Wire<typeof promptBody>;

export const waitQuery = {
  wait: queryNumber(0, 3600)
    .optional()
    .describe(
      "seconds to wait for the outcome, at most the server's limit (60); returns the current entry after that time",
    ),
};

export const editBody = component("EditInput", () =>
  z.strictObject({
    text: textSchema(),
    revision: wholeSchema.describe(
      "the revision that was read; the request is refused if there is a later one",
    ),
  }),
);

export const moveBody = component("MoveInput", () =>
  z.strictObject({
    before: idSchema
      .nullable()
      .describe("the queued prompt or work to put it before; null: the end of the queue"),
  }),
);
