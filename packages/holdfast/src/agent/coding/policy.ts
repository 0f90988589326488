import { ruleFor } from "../permissions/remember.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import type { PermissionRule } from "../permissions/rule.ts";
import { decidePermission } from "../permissions/rules.ts";
import type { PermissionRequest } from "../tools/tool.ts";

/** What a run may do without asking, and where it keeps what people have decided for later. */
export interface Permissions {
  decide(request: Pick<PermissionRequest, "action" | "subject">): "allow" | "ask" | "deny";
  remember(
    request: PermissionRequest,
    decision: { effect: "allow" | "deny"; scope: "session" | "project" },
  ): Promise<void>;
}

/** The given rules, then the project's, then the session's: what was decided nearest counts. */
export async function openPermissions(options: {
  rules: readonly PermissionRule[];
  remembered: RememberedRules;
  sessionId: string;
  directory: string;
}): Promise<Permissions> {
  const { rules, remembered, sessionId, directory } = options;
  const project = { kind: "project", directory } as const;
  const session = { kind: "session", sessionId } as const;
  const read = async (): Promise<readonly PermissionRule[]> => {
    const kept = await Promise.all([remembered.read(project), remembered.read(session)]);
    return [...rules, ...kept.flatMap((part) => part.rules)];
  };
  let all = await read();
  return {
    decide: (request) => decidePermission(all, request),
    remember: async (request, { effect, scope }) => {
      const rule = ruleFor(request, { effect, reach: "similar" });
      await remembered.add(scope === "project" ? project : session, rule);
      all = await read();
    },
  };
}
