import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { budgetInput, budgetSchema } from "./outcome.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { actorSchema, queryFlag, textSchema, timeSchema } from "./scalars.ts";

export const askResolutionSchema = component("AskResolution", () =>
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("answered"),
      verdict: z.enum(["allow", "deny"]),
      body: z.string().nullable(),
      raise: budgetSchema.optional().describe("amount added to the limit of a budget"),
    }),
    z.object({ kind: z.literal("expired") }),
    z.object({ kind: z.literal("withdrawn") }),
  ]),
);

export const askAnswerSchema = component("AskAnswer", () =>
  z.object({
    text: z.string().nullable(),
    remember: z.enum(["session", "project"]).nullable(),
  }),
);

/** A permission request or a question for a person, with its answer (R4). */
export const askSchema = component("Ask", () =>
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
        "for a permission: `permission` (action, subject, preview, the `path` of a command in another directory, and for a change of a file its size `change`: added, removed, and the lines of the diff `omitted` from the preview; for another long text, the `omittedCharacters` of the preview), the `agent` that asks if it is a hosted agent, and `remembers`, the rules that `remember` would save, or an empty list; for a question: `choices`; for a spent budget: `budget` (spent, limit, raise)",
      ),
    openedAt: timeSchema,
    expiresAt: timeSchema.nullable(),
    closed: z
      .object({
        resolution: askResolutionSchema,
        actor: actorSchema.describe("actor that answered"),
        at: timeSchema,
      })
      .nullable(),
    answer: askAnswerSchema.nullable().describe("text that came with the verdict"),
  }),
);
export type Ask = Wire<typeof askSchema>;

/** The diff or command that an ask is about. */
export const askPreviewSchema = component("AskPreview", () => z.object({ text: z.string() }));

export const askPageSchema = pageSchema("AskPage", askSchema);

export const asksQuery = {
  ...pageQuery,
  open: queryFlag.optional().describe("true: only open asks"),
};

export const answerBody = component("AnswerInput", () =>
  z.strictObject({
    verdict: z.enum(["allow", "deny"]),
    text: textSchema()
      .optional()
      .describe("text for the model: an answer, or the reason for a denial"),
    remember: z
      .enum(["session", "project"])
      .optional()
      .describe("save this permission; ignored for questions"),
    raise: budgetInput
      .optional()
      .describe(
        "for a spent budget: amount to add to its limit; default: the amount that the ask proposes",
      ),
  }),
);
