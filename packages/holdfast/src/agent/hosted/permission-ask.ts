import type { AgentContext } from "../agent.ts";
import type { Permissions } from "../coding/policy.ts";
import { isRefusedInPlan } from "../permissions/mode.ts";
import { shownRequest } from "../permissions/shown-request.ts";
import { shown } from "../tools/paths.ts";
import { filesOf, hiddenFiles, permissionOf } from "./call-view.ts";
import type { CallUpdate } from "./updates.ts";

/** The decision about a permission request, made by the rules or by a person. */
export type PermissionAsk =
  | { readonly type: "decided"; readonly verdict: "allow" | "deny" }
  | { readonly type: "asked"; readonly answer: () => Promise<"allow" | "deny"> };

/**
 * Decides a permission request of a hosted agent. If no rule decides, stores the request as an ask with its own id, so
 * that an old answer never applies to a new request (H4).
 */
export async function askFor(
  call: { callId: string; number: number; started: boolean; known: CallUpdate },
  services: {
    context: Pick<AgentContext, "directory" | "mode" | "ask">;
    permissions: Permissions;
    agent: string;
  },
): Promise<PermissionAsk> {
  const { context, permissions, agent } = services;
  const request = permissionOf(call.known, { agent, directory: context.directory });
  const mode = await context.mode();
  const requests = [request, ...filesOf(call.known, context.directory)];
  if (mode === "plan" && requests.some(isRefusedInPlan))
    return { type: "decided", verdict: "deny" };
  const decisions = requests.map((each) => permissions.decide(each, mode));
  if (decisions.includes("deny")) return { type: "decided", verdict: "deny" };
  if (!decisions.includes("ask")) return { type: "decided", verdict: "allow" };
  const { rules, objection } = permissions.rememberable(request, "allow");
  const warning = permissions.warning();
  const { permission, ...whole } = shownRequest(request);
  const { action, subject } = permission;
  const question = `May ${agent} ${action === "mcp" ? "use" : action} ${subject}?`;
  const note = objection === null ? null : `This answer cannot be remembered: ${objection}.`;
  const others = otherFiles(hiddenFiles(call.known, context.directory));
  const answer = async (): Promise<"allow" | "deny"> => {
    const given = await context.ask({
      askId: `${call.callId}:permission-${call.number}`,
      // `within`: the tool call has already started and waits for the answer. `callId`: the tool call may start only
      // after the answer.
      ...(call.started ? { within: call.callId } : { callId: call.callId }),
      question: [warning, question, others, note].filter((line) => line !== null).join("\n"),
      extra: { permission, agent, tool: call.known.name ?? agent, remembers: rules },
      ...whole,
    });
    if (given.verdict === "expired") return "deny";
    if (given.verdict === "allow" && warning !== null) permissions.noted();
    const remembered = permissions.rememberable(request, given.verdict).rules;
    if (given.remember !== null && remembered.length > 0) {
      await permissions.remember(remembered, given.remember);
    }
    return given.verdict;
  };
  return { type: "asked", answer };
}

/** Maximum number of other files in a question. */
const maxOthers = 20;

/** Returns the line of the question with the other files of the call; null if there are none. */
function otherFiles(files: readonly string[]): string | null {
  if (files.length === 0) return null;
  const names = files.slice(0, maxOthers).map(shown);
  const more = files.length > maxOthers ? ` and ${files.length - maxOthers} more` : "";
  return `Other files of this call: ${names.join(", ")}${more}`;
}
