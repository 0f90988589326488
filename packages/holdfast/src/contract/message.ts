import { z } from "zod";
import { actorSchema } from "./actor.ts";
import { attachmentSchema } from "./attachment.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { outcomeSchema } from "./outcome.ts";
import { pageSchema } from "./page.ts";
import { timeSchema, wholeSchema } from "./scalars.ts";

export const callSchema = component(
  "Call",
  z.object({
    callId: z.string(),
    name: z.string(),
    input: z.unknown(),
    repeatable: z.boolean().describe("running it a second time is safe"),
  }),
);

/** `inDoubt`: it may or may not have acted before a crash. `interrupted`: it was stopped (T1). */
export const toolStatusSchema = component(
  "ToolStatus",
  z.enum(["completed", "failed", "denied", "interrupted", "inDoubt"]),
);

const place = {
  seq: wholeSchema
    .nullable()
    .describe("its place in the log; null for one that a fork or an import has brought along"),
  at: timeSchema.nullable(),
};

/** A session as people read it: also the words of prompts that were cancelled before they ran. */
export const messageSchema = component(
  "Message",
  z.discriminatedUnion("role", [
    z.object({
      ...place,
      role: z.literal("user"),
      promptId: z.string(),
      text: z.string(),
      attachments: z.array(attachmentSchema),
      actor: actorSchema,
      reply: z.boolean(),
      resultOf: z
        .object({ sessionId: z.string(), promptId: z.string(), outcome: outcomeSchema })
        .nullable(),
      status: z
        .enum(["queued", "running", "settled"])
        .describe("of the prompt, at the time of reading"),
      outcome: outcomeSchema.nullable(),
      runId: z.string().nullable(),
    }),
    z.object({
      ...place,
      role: z.literal("assistant"),
      runId: z.string(),
      step: wholeSchema,
      text: z.string(),
      reasoning: z.string().nullable(),
      model: z.string().nullable(),
      summary: z.boolean().describe("it stands for the conversation before it"),
      calls: z.array(callSchema),
      interrupted: z.boolean(),
    }),
    z.object({
      ...place,
      role: z.literal("tool"),
      callId: z.string(),
      status: toolStatusSchema,
      output: z.string(),
      extra: z.unknown().describe("what the tool says beside its output, such as a diff"),
    }),
  ]),
);
export type Message = Wire<typeof messageSchema>;

export const messagePageSchema = pageSchema("MessagePage", messageSchema);
