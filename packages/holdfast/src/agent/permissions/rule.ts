import type { SessionMode } from "../../kernel/state.ts";
import type { PermissionAction } from "../tools/tool.ts";

export type PermissionEffect = "allow" | "ask" | "deny";

/** A permission rule. docs/TOOLS.md describes the patterns. */
export interface PermissionRule {
  readonly action: PermissionAction | "*";
  readonly pattern: string;
  readonly effect: PermissionEffect;
  /** If set, the rule applies only in this permission mode. Used only by built-in rules. */
  readonly mode?: SessionMode;
  /**
   * True: the rule applies only to commands that do nothing but read files that need no permission. Used only by a
   * built-in rule.
   */
  readonly reads?: true;
}
