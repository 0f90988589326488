import type { PermissionAction } from "../tools/tool.ts";

export type PermissionEffect = "allow" | "ask" | "deny";

/** One permission rule. docs/TOOLS.md describes the patterns. */
export interface PermissionRule {
  readonly action: PermissionAction | "*";
  readonly pattern: string;
  readonly effect: PermissionEffect;
}
