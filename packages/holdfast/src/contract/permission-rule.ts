import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { directorySchema, idSchema } from "./scalars.ts";

const rule = {
  scope: z
    .enum(["project", "session"])
    .describe("project: all sessions of the directory; session: the named session"),
  action: z.enum(["read", "change", "run", "network", "fetch", "send", "mcp", "*"]),
  pattern: z.string().max(200_000),
};

/** A permission rule that was saved with a person's answer to a permission request. */
export const rememberedRuleSchema = component("RememberedRule", () =>
  z.object({ ...rule, effect: z.enum(["allow", "ask", "deny"]) }),
);
export type RememberedRule = Wire<typeof rememberedRuleSchema>;

export const ruleListSchema = component("RememberedRuleList", () =>
  z.object({
    items: z.array(rememberedRuleSchema).describe("in the order in which they apply"),
    problems: z.array(z.string()).describe("files of rules that cannot be read and are ignored"),
  }),
);
export type RuleList = Wire<typeof ruleListSchema>;

const place = {
  directory: directorySchema,
  sessionId: idSchema.optional().describe("also the rules of this session of the directory"),
};

export const rulesQuery = place;

export const revokeRuleBody = component("RevokeRuleInput", () =>
  z.strictObject({ ...place, ...rule }),
);
