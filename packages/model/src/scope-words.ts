import type { RuleScope } from "./rule-scope.ts";

/** Describes the scope of a permission rule in English, such as "changes in src/". */
export function scopeWords({ action, reach, target }: RuleScope): string {
  switch (action) {
    case "change":
      return reach === "all" ? `changes in ${target}` : `changes to ${target}`;
    case "read":
      return reach === "all" ? `reading in ${target}` : `reading ${target}`;
    case "run":
      return reach === "all" ? `“${target} …” commands` : `“${target}”`;
    case "network":
      return `${reach === "all" ? `“${target} …” commands` : `“${target}”`} with network access`;
    case "fetch":
      return `requests to ${target}`;
    case "send":
      return `prompts to ${target}`;
    case "mcp":
      return `the tool ${target}`;
  }
}

/** Describes the rules that a remembered answer stores. Uses the text of the rules if a scope is unknown. */
export function rulesWords(rules: {
  readonly scopes: readonly RuleScope[] | null;
  readonly remembers: string;
}): string {
  const { scopes, remembers } = rules;
  if (scopes === null || scopes.length === 0) return remembers;
  const [last = "", ...others] = scopes.map(scopeWords).toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
}
