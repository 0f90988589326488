import type { PermissionAction } from "../tools/tool.ts";

export type PermissionEffect = "allow" | "ask" | "deny";

/** One line of what is permitted. docs/TOOLS.md says how patterns are written. */
export interface PermissionRule {
  readonly action: PermissionAction | "*";
  readonly pattern: string;
  readonly effect: PermissionEffect;
}
