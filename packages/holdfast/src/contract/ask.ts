import { z } from "zod";
import { actorSchema } from "./actor.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { budgetInput, budgetSchema } from "./outcome.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { queryFlag, textSchema, timeSchema } from "./scalars.ts";

export const askResolutionSchema = component(
  "AskResolution",
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("answered"),
      verdict: z.enum(["allow", "deny"]),
      body: z.string().nullable(),
      raise: budgetSchema.optional().describe("what a budget's limit was raised by"),
    }),
    z.object({ kind: z.literal("expired") }),
    z.object({ kind: z.literal("withdrawn") }),
  ]),
);

export const askAnswerSchema = component(
  "AskAnswer",
  z.object({
    text: z.string().nullable(),
    remember: z.enum(["session", "project"]).nullable(),
  }),
);

/** A permission request or a question to people, with its answer (R4). */
export const askSchema = component(
  "Ask",
  z.object({
    sessionId: z.string(),
    askId: z.string(),
    runId: z.string(),
    callId: z.string().nullable(),
    body: z.string().nullable(),
    question: z.string(),
    extra: z
      .unknown()
      .describe(
        "for a permission: `permission` (action, subject, preview, and the `path` of a command in another folder) and `remembers`, the rule that `remember` would keep, or null; for a question: `choices`; for a spent budget: `budget` (spent, limit, raise)",
      ),
    openedAt: timeSchema,
    expiresAt: timeSchema.nullable(),
    closed: z
      .object({
        resolution: askResolutionSchema,
        actor: actorSchema.describe("who answered"),
        at: timeSchema,
      })
      .nullable(),
    answer: askAnswerSchema.nullable().describe("what was said beside the verdict, if anything"),
  }),
);
export type Ask = Wire<typeof askSchema>;

export const askPageSchema = pageSchema("AskPage", askSchema);

export const asksQuery = {
  ...pageQuery,
  open: queryFlag.optional().describe("true: only those that still wait for an answer"),
};

export const answerBody = component(
  "AnswerInput",
  z.strictObject({
    verdict: z.enum(["allow", "deny"]),
    text: textSchema().optional().describe("words for the model: an answer, or why not"),
    remember: z
      .enum(["session", "project"])
      .optional()
      .describe("keep this permission; without meaning for questions"),
    raise: budgetInput
      .optional()
      .describe("of a spent budget: what to add to its limit; left out: what the ask proposes"),
  }),
);
