import { folderProblem } from "../../base/folders.ts";
import { rememberProblem, ruleFor } from "../permissions/remember.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import type { PermissionRule } from "../permissions/rule.ts";
import { decidePermission } from "../permissions/rules.ts";
import type { PermissionRequest } from "../tools/tool.ts";

type Asked = Pick<PermissionRequest, "action" | "subject" | "path">;

/** What a run may do without asking, and where it keeps what people have decided for later. */
export interface Permissions {
  /** Nothing is allowed without asking while there is a warning that nobody has taken note of. */
  decide(request: Asked): "allow" | "ask" | "deny";
  /** What people have to know before they allow anything; null once one of them has allowed it. */
  warning(): string | null;
  /** Somebody has read the warning, and lets the run go on. */
  noted(): void;
  /** The rule that an answer stands for when it is to be remembered, or why it cannot be. */
  rememberable(request: Asked, effect: "allow" | "deny"): Rememberable;
  /** Null, or why it could not be kept: what people have said counts all the same, this once. */
  remember(rule: PermissionRule, scope: "session" | "project"): Promise<string | null>;
}

export type Rememberable =
  | { readonly rule: PermissionRule; readonly objection: null }
  | { readonly rule: null; readonly objection: string };

/** The given rules, then the project's, then the session's: what was decided nearest counts. */
export async function openPermissions(options: {
  rules: readonly PermissionRule[];
  remembered: RememberedRules;
  sessionId: string;
  directory: string;
}): Promise<Permissions> {
  const { rules, remembered, sessionId, directory } = options;
  const scopes = {
    project: { kind: "project", directory },
    session: { kind: "session", sessionId },
  } as const;
  let all: readonly PermissionRule[] = rules;
  let problems: readonly string[] = [];
  const read = async (): Promise<void> => {
    const kept = await Promise.all([
      remembered.read(scopes.project),
      remembered.read(scopes.session),
    ]);
    all = [...rules, ...kept.flatMap((part) => part.rules)];
    problems = kept.flatMap(({ problem }) => problem ?? []);
  };
  await read();
  return {
    decide: (request) => {
      const decision = decidePermission(all, request, { directory });
      // What cannot be read may have said no.
      return decision === "allow" && problems.length > 0 ? "ask" : decision;
    },
    warning: () => (problems.length === 0 ? null : `${problems.join("\n")}\n${advice}`),
    noted: () => (problems = []),
    rememberable: (request, effect) => {
      const rule = ruleFor(request, { effect, reach: "similar", directory });
      const problem = effect === "allow" ? rememberProblem(request, directory) : null;
      const objection = problem ?? remembered.objection(rule);
      return objection === null ? { rule, objection } : { rule: null, objection };
    },
    remember: async (rule, scope) => {
      try {
        await remembered.add(scopes[scope], rule);
      } catch (error) {
        if (!(error instanceof Error && "syscall" in error)) throw error;
        return `it could not be kept, since ${folderProblem(error)}`;
      }
      await read();
      return null;
    },
  };
}

const advice =
  "Mend or remove the file; until then nothing that it allowed or denied counts. Allowing goes on " +
  "without it; an answer that is to be remembered begins a new one and sets this one aside.";
