import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";

export const cancelReasons = [
  "sessionCancel",
  "promptCancel",
  "queueCleared",
  "interrupt",
  "promoted",
  "force",
  "parentCancel",
  "runEnded",
  "deleted",
] as const;

export const failureReasons = [
  "expired",
  "runTime",
  "budget",
  "dailyCap",
  "monthlyCap",
  "tokenCap",
  "stepLimit",
  "crashLoop",
  "interrupted",
  "refused",
  "agentError",
  "badKey",
  "noQuota",
  "brokenWorkspace",
  "modelGone",
  "contextTooLong",
  "contentFilter",
  "providerError",
  "stalled",
  "loop",
] as const;

export const reasonSchema = component("Reason", () =>
  z.enum([...cancelReasons, ...failureReasons]),
);

export const outcomeSchema = component("Outcome", () =>
  z.object({
    status: z.enum(["completed", "failed", "cancelled"]),
    reason: reasonSchema.nullable().describe("reason of a failure or cancel"),
    runId: z
      .string()
      .nullable()
      .describe("the run that the prompt settled with, even if another prompt started it"),
    result: z.string().nullable().describe("hash of the stored result"),
  }),
);

export const usageSchema = component("Usage", () =>
  z.object({ inputTokens: z.number(), outputTokens: z.number(), cost: z.number() }),
);

export const budgetSchema = component("Budget", () =>
  z.object({ tokens: z.number().nullable(), cost: z.number().nullable() }),
);

export const budgetInput = component("BudgetInput", () =>
  z.strictObject({
    tokens: z.number().min(0).nullable().optional(),
    cost: z.number().min(0).nullable().optional().describe("in US dollars"),
  }),
);
export const onBudgetSchema = z
  .enum(["fail", "ask"])
  .describe(
    "effect of a spent budget: fail: end the tree as `failed: budget`; ask: ask people for more",
  );

export type BudgetInput = Wire<typeof budgetInput>;
