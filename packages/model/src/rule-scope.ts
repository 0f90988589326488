/** The scope of a permission rule, in a form that each language can put into words. */
export interface RuleScope {
  readonly action: "read" | "change" | "run" | "network" | "fetch" | "send" | "mcp";
  /**
   * `all`: everything below the folder, or every command that begins with the target. `one`: only the target itself.
   */
  readonly reach: "all" | "one";
  /** A folder that ends in a slash, a file, the words of a command, a host, a session or a tool. */
  readonly target: string;
}

const actions = ["read", "change", "run", "network", "fetch", "send", "mcp"] as const;

/**
 * Returns the scope of a rule. Null if this version does not know the rule: then the client shows the text of the rule.
 */
export function ruleScope(rule: {
  action: string | null;
  pattern: string | null;
}): RuleScope | null {
  const action = actions.find((known) => known === rule.action);
  const { pattern } = rule;
  if (action === undefined || pattern === null) return null;
  if (action === "read" || action === "change") return pathScope(action, pattern);
  if (action === "run" || action === "network") {
    const isOpen = pattern.endsWith(" *");
    const target = literal(isOpen ? pattern.slice(0, -2) : pattern);
    return target === null ? null : { action, reach: isOpen ? "all" : "one", target };
  }
  const target = literal(pattern);
  return target === null ? null : { action, reach: "one", target };
}

function pathScope(action: "read" | "change", pattern: string): RuleScope | null {
  const path = pattern.replace(/^\.\//, "");
  const isFolder = path.endsWith("/**");
  const target = literal(isFolder ? path.slice(0, -2) : path);
  return target === null ? null : { action, reach: isFolder ? "all" : "one", target };
}

/**
 * Removes the escapes of a glob. Null if the glob has wildcards: a button that shows such a rule like a plain name
 * would hide how much the rule allows.
 */
function literal(glob: string): string | null {
  if (/[*?[\]{}]/.test(glob.replaceAll(/\\./gs, ""))) return null;
  return glob.replaceAll(/\\(.)/gs, "$1");
}
