import type { PermissionRule } from "./rule.ts";

/**
 * The rules for a command that is to have the network, as rules for a command. A rule about `network` says
 * that such a command may run. A rule about `run` that denies or asks counts too; one that allows does
 * not, because whoever wrote it may have thought of the sandbox.
 */
export function networkRules(rules: readonly PermissionRule[]): readonly PermissionRule[] {
  return rules
    .filter(({ action, effect }) => action !== "run" || effect !== "allow")
    .map((rule) => (rule.action === "network" ? { ...rule, action: "run" } : rule));
}
