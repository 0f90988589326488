import type { PermissionRequest } from "../tools/tool.ts";
import { onlyReads } from "./known-command.ts";
import { explain } from "./shell/explain.ts";

/**
 * True if plan mode refuses a request because it may change something. No rule and no person's answer can allow such a
 * request. The rules decide about all other requests: reading, fetching a page, and giving a task to a child session
 * (the child session is in plan mode too).
 */
export function isRefusedInPlan(request: PermissionRequest): boolean {
  const { action, subject, path = "." } = request;
  switch (action) {
    case "read":
    case "fetch":
      return false;
    case "change":
    case "network":
      return true;
    case "send":
      return subject !== "task";
    case "mcp":
      return request.readOnly !== true;
    case "run": {
      const { commands, unexplained } = explain(subject, { path, directory: null });
      return unexplained !== null || !commands.every(({ words }) => onlyReads(words));
    }
  }
}

/** The result of a call that plan mode refuses, for the model. */
export const planRefusal =
  "This session is in plan mode: calls that change something are refused, and nothing was changed. Do not try another " +
  "way. Finish the plan and present it as your answer. The user leaves plan mode to have it carried out.";

/** The instructions for plan mode in the system prompt. */
export const planInstructions =
  "# Plan mode\n" +
  "- The session is in plan mode: you can read files, run commands that only read, and ask the user. Calls that change " +
  "something are refused.\n" +
  "- Find out what you need to know. Then answer with a plan: the steps, the files that each step changes, and how to " +
  "check the result. Do not carry out any step.";
