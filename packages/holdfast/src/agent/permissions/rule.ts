import type { SessionMode } from "../../kernel/state.ts";
import type { PermissionAction } from "../tools/tool.ts";

export type PermissionEffect = "allow" | "ask" | "deny";

/** One permission rule. docs/TOOLS.md describes the patterns. */
export interface PermissionRule {
  readonly action: PermissionAction | "*";
  readonly pattern: string;
  readonly effect: PermissionEffect;
  /** The rule applies only in this mode. Set only on built-in rules. */
  readonly mode?: SessionMode;
  /** The rule applies only to commands that only read files which need no permission. Set only on a built-in rule. */
  readonly reads?: true;
}
