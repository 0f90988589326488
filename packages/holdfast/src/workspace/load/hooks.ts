import type { ToolHooks } from "../../agent/setup.ts";
import type { HooksConfig } from "../config/config.ts";

/** The commands of people's own around tools. */
export function hooksOf(_config: HooksConfig): ToolHooks {
  return { beforeTool: async () => null, afterTool: async () => null };
}
