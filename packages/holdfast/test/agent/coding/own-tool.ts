import { z } from "zod";
import type { Tool } from "../../../src/agent/tools/tool.ts";

/** A tool for tests that needs no input and no permission. */
export function ownTool(name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool {
  const common = { description: name, repeatable: true, parallel: true, permission: () => null };
  return { name, input: z.object({}), run, ...common, ...more };
}
