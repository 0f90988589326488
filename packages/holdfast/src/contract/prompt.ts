import { z } from "zod";
import { actorSchema } from "./actor.ts";
import { attachmentSchema, maxAttachments } from "./attachment.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { budgetInput, onBudgetSchema, outcomeSchema, usageSchema } from "./outcome.ts";
import { pageSchema } from "./page.ts";
import { receiptSchema } from "./receipt.ts";
import {
  hashSchema,
  idSchema,
  lineSchema,
  queryNumber,
  emptyTextSchema,
  textSchema,
  timeSchema,
  wholeSchema,
} from "./scalars.ts";

export const deliverySchema = component(
  "Delivery",
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
  branch: z.literal(true).optional().describe("the child still has live descendants"),
});

export const commandSchema = component(
  "CommandUse",
  z.strictObject({
    name: lineSchema(200).describe("without the slash"),
    arguments: z.string().max(100_000).describe("what stood after its name"),
  }),
);

const sentCommandSchema = component(
  "SentCommand",
  commandSchema.extend({
    builtIn: z
      .literal(true)
      .optional()
      .describe("it came with the program: its text is for people, not for the model"),
  }),
);

export type SentCommand = Wire<typeof sentCommandSchema>;

/** Left out where the sender has not named them. */
export const named = {
  agent: z.string().optional().describe("the agent that the sender has named"),
  model: z.string().optional().describe("the model that the sender has named, as provider/model"),
  command: sentCommandSchema.optional().describe("what its text was made of"),
};

const entry = {
  sessionId: z.string(),
  promptId: z.string(),
  acceptSeq: wholeSchema.describe("its place in the session's log"),
  contentHash: z.string().nullable().describe("null where only its cancel has arrived"),
  body: z.string().nullable(),
  text: z.string().nullable().describe("its words as they are now; null where none have arrived"),
  attachments: z.array(attachmentSchema),
  ...named,
  revision: wholeSchema.describe("raised by every edit"),
  delivery: deliverySchema,
  reply: z.boolean(),
  actor: actorSchema,
  acceptedAt: timeSchema,
  parent: parentLinkSchema.nullable().describe("the run whose child it is"),
  resultOf: resultOfSchema.nullable().describe("the background child whose outcome it brings"),
  receipt: receiptSchema.nullable().describe("what an interrupting prompt cancelled"),
};

/** A prompt's entry in the ledger (P4), with its words, and those of its result once settled. */
export const promptSchema = component(
  "Prompt",
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
      result: z.string().nullable().describe("the final answer, or the error's text"),
      settledAt: timeSchema,
    }),
  ]),
);
export type Prompt = Wire<typeof promptSchema>;

export const promptPageSchema = pageSchema("PromptPage", promptSchema);

export const promptBody = component(
  "PromptInput",
  z.strictObject({
    promptId: idSchema
      .optional()
      .describe("chosen by the sender: sending it again is sending it once"),
    text: emptyTextSchema()
      .optional()
      .describe("empty or left out only with a command or attachments"),
    command: commandSchema
      .optional()
      .describe("in place of a text: what it stands for is put in when the prompt is accepted"),
    agent: lineSchema(200).optional().describe("who works on it, where it starts a run"),
    model: lineSchema(300)
      .optional()
      .describe("what they work with, as provider/model, where it starts a run"),
    attachments: z
      .array(hashSchema)
      .max(maxAttachments)
      .optional()
      .describe("hashes of uploaded attachments"),
    delivery: deliverySchema
      .optional()
      .describe("what it does when the session is busy; `queue` if left out"),
    reply: z.boolean().optional().describe("false: it enters the conversation and starts no run"),
    expectedRunId: idSchema.nullable().optional().describe("the only run that a steer may enter"),
    expiresAt: timeSchema.nullable().optional().describe("still queued then: `failed: expired`"),
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
      .describe("of its run and of every prompt that the run sends to other sessions"),
    onBudget: onBudgetSchema.optional(),
  }),
);
export type PromptInput = Wire<typeof promptBody>;

export const waitQuery = {
  wait: queryNumber(0, 3600)
    .optional()
    .describe(
      "seconds to wait for the outcome, up to the server's limit (60); answers the entry as it is by then",
    ),
};

export const editBody = component(
  "EditInput",
  z.strictObject({
    text: textSchema(),
    revision: wholeSchema.describe("the revision that was read; refused when there is a later one"),
  }),
);

export const moveBody = component(
  "MoveInput",
  z.strictObject({
    before: idSchema
      .nullable()
      .describe("the queued prompt or work that it goes before; null: to the end"),
  }),
);
