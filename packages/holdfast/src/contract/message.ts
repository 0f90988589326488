import { z } from "zod";
import { attachmentSchema, shownFiles } from "./attachment.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { outcomeSchema } from "./outcome.ts";
import { pageFields } from "./page.ts";
import { named } from "./prompt.ts";
import { actorSchema, timeSchema, wholeSchema } from "./scalars.ts";

/** Use of the context of a hosted agent, as the agent reports it. */
export const contextUseSchema = component("ContextUse", () =>
  z.object({
    used: wholeSchema.describe("tokens in the context of the hosted agent"),
    size: wholeSchema.min(1).describe("tokens that the context can hold"),
  }),
);

export const callSchema = component("Call", () =>
  z.object({
    callId: z.string(),
    name: z.string(),
    input: z.unknown(),
    repeatable: z.boolean().describe("true: safe to run twice"),
  }),
);

/**
 * `inDoubt`: the call may or may not have taken effect before a crash. `interrupted`: it was
 * stopped (T1).
 */
export const toolStatusSchema = component("ToolStatus", () =>
  z.enum(["completed", "failed", "denied", "interrupted", "inDoubt"]),
);

const place = {
  seq: wholeSchema
    .nullable()
    .describe("seq of its event; null if it was copied by a fork or an import"),
  at: timeSchema,
};

const userMessage = {
  role: z.literal("user"),
  promptId: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  actor: actorSchema,
  reply: z.boolean(),
  resultOf: z
    .object({ sessionId: z.string(), promptId: z.string(), outcome: outcomeSchema })
    .nullable()
    .describe("the background child whose outcome the prompt delivers"),
  ...named,
};

/** A message of a session as people see it. Includes prompts that were cancelled before they ran. */
export const messageSchema = component("Message", () =>
  z.discriminatedUnion("role", [
    z.object({
      ...place,
      ...userMessage,
      entered: z.boolean().describe("false: the prompt was settled before the model saw it"),
      outcome: outcomeSchema.nullable(),
    }),
    z.object({
      ...place,
      role: z.literal("assistant"),
      runId: z.string(),
      step: wholeSchema,
      text: z.string(),
      reasoning: z.string().nullable(),
      model: z.string().nullable(),
      effort: z.string().optional().describe("requested level of reasoning"),
      context: contextUseSchema.optional(),
      summary: z.boolean().describe("true: a summary that replaces the conversation before it"),
      calls: z.array(callSchema),
      interrupted: z.boolean(),
    }),
    z.object({
      ...place,
      role: z.literal("tool"),
      callId: z.string(),
      status: toolStatusSchema,
      output: z.string(),
      extra: z.unknown().describe("data from the tool besides its output, such as a diff"),
      ...shownFiles,
      intent: z.string().nullable().describe("planned action of a call in doubt"),
    }),
  ]),
);
export type Message = Wire<typeof messageSchema>;

export const messagePageSchema = component("MessagePage", () =>
  z.object({
    ...pageFields(messageSchema),
    waiting: z
      .array(component("WaitingMessage", () => z.object(userMessage)))
      .describe(
        "prompts that have not entered the conversation, in queue order; only on the last page",
      ),
  }),
);
export type MessagePage = Wire<typeof messagePageSchema>;
