import type { SessionMode } from "../../kernel/state.ts";
import type { AgentContext, AskAnswer } from "../agent.ts";
import { isRefusedInPlan, planRefusal } from "../permissions/mode.ts";
import { shownRequest } from "../permissions/shown-request.ts";
import type { PermissionRequest } from "../tools/tool.ts";
import type { Permissions } from "./policy.ts";

/** The decision about a tool call. The texts are shown to the model. */
export type Permit =
  | { readonly status: "permitted"; readonly isAsked: boolean; readonly note: string | null }
  | { readonly status: "denied"; readonly text: string }
  /** The call cannot succeed, so no person was asked. */
  | { readonly status: "failed"; readonly text: string };

interface PermitServices {
  readonly context: Pick<AgentContext, "ask" | "mode">;
  readonly permissions: Permissions;
}

interface PermitTarget {
  readonly call: {
    readonly callId: string;
    readonly name: string;
    readonly gate?: "open" | "asking" | "denied";
  };
  readonly request: PermissionRequest | null;
  /** Returns the reason why the call would certainly fail; null if none is known. */
  readonly problem: () => Promise<string | null>;
}

/** Decides by the permission mode and the rules whether a call may run. If they do not decide, asks a person. */
export async function permitCall(services: PermitServices, target: PermitTarget): Promise<Permit> {
  const { permissions } = services;
  const { call, request } = target;
  if (request === null) return { status: "permitted", isAsked: false, note: null };
  const mode = await modeFor(services, request);
  if (mode === "plan" && isRefusedInPlan(request)) return denied(planRefusal);
  const decision = permissions.decide(request, mode);
  if (decision === "deny")
    return denied(`A permission rule denies this call: ${describeAction(request)}.`);
  // A permission request from before a crash still applies, even if the rules have changed.
  const wasAsked = call.gate === "asking" || call.gate === "denied";
  if (decision === "allow" && !wasAsked) return { status: "permitted", isAsked: false, note: null };
  const problem = wasAsked ? null : await target.problem();
  if (problem !== null) return { status: "failed", text: problem };
  const warning = permissions.warning();
  const answer = await askToPermit(services, { call, request, warning });
  const permit = await takeAnswer(permissions, { request, answer, warning });
  if (permit.status !== "permitted") return permit;
  // The mode may have changed while the permission request was open.
  const isPlan = (await modeFor(services, request)) === "plan";
  return isPlan && isRefusedInPlan(request) ? denied(planRefusal) : permit;
}

/**
 * Returns the session's permission mode. A call that only reads is allowed in every mode, so the mode is not read for
 * it.
 */
async function modeFor(
  { context }: PermitServices,
  request: PermissionRequest,
): Promise<SessionMode> {
  return request.action === "read" ? "ask" : context.mode();
}

async function takeAnswer(
  permissions: Permissions,
  given: { request: PermissionRequest; answer: AskAnswer; warning: string | null },
): Promise<Permit> {
  const { request, answer, warning } = given;
  if (answer.verdict === "expired")
    return denied("The permission request expired without an answer, so this call was denied.");
  if (answer.verdict === "allow" && warning !== null) permissions.noted();
  const { verdict, text, remember } = answer;
  const { rules } = permissions.rememberable(request, verdict);
  const problem =
    remember === null || rules.length === 0 ? null : await permissions.remember(rules, remember);
  const note = problem === null ? null : `[The answer applies to this call only: ${problem}]`;
  if (verdict === "allow") return { status: "permitted", isAsked: true, note };
  const notes = [warning, note].filter((line) => line !== null);
  const words = text === null ? "The user denied this call." : `The user denied this call: ${text}`;
  return denied([words, ...notes].join("\n"));
}

function denied(text: string): Permit {
  return { status: "denied", text };
}

/** Asks a person for permission. The request shows the rules that would be stored if the answer is remembered. */
function askToPermit(
  { context, permissions }: PermitServices,
  target: Pick<PermitTarget, "call"> & { request: PermissionRequest; warning: string | null },
): Promise<AskAnswer> {
  const { call, request, warning } = target;
  const { rules, objection } = permissions.rememberable(request, "allow");
  const { permission, ...whole } = shownRequest(request);
  const question = `May the agent ${describeAction(permission)}?`;
  const note = objection === null ? null : `This answer cannot be remembered: ${objection}.`;
  return context.ask({
    askId: `${call.callId}:permission`,
    callId: call.callId,
    question: [warning, question, request.warning ?? null, note]
      .filter((line) => line !== null)
      .join("\n"),
    extra: { permission, tool: call.name, remembers: rules },
    ...whole,
  });
}

export function describeAction({ action, subject, path }: PermissionRequest): string {
  const place = path === undefined ? "" : ` in ${path}`;
  if (action === "network") return `run ${subject}${place} with network access`;
  return `${action === "mcp" ? "use" : action} ${subject}${place}`;
}
