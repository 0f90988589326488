import { revokeRuleBody, ruleListSchema, rulesQuery } from "../permission-rule.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";

const rules = {
  200: { kind: "json", schema: ruleListSchema, description: "the remembered rules" },
} as const;

export const ruleRoutes = {
  listRules: {
    method: "GET",
    path: "/v1/rules",
    tag: "asks",
    role: "observe",
    summary: "List the permission rules that were remembered for a directory",
    query: rulesQuery,
    answers: rules,
    errors: ["notOffered", "unknownSession"],
  },
  revokeRule: {
    method: "POST",
    path: "/v1/rules/revoke",
    tag: "asks",
    role: "prompt",
    summary: "Remove a remembered permission rule",
    description:
      "Applies from the next answer of a model on, also in active runs. Returns the remaining rules. Removing a rule that does not exist changes nothing.",
    body: { kind: "json", schema: revokeRuleBody, maxBytes: bodyLimits.small },
    answers: rules,
    errors: ["notOffered", "unknownSession"],
  },
} as const satisfies Record<string, Route>;
