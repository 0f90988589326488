import { folderProblem } from "../../base/folders.ts";
import type { SessionMode } from "../../kernel/state.ts";
import { rememberProblem, ruleFor, rulesToAllow } from "../permissions/remember.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import type { PermissionRule } from "../permissions/rule.ts";
import { decidePermission } from "../permissions/rules.ts";
import type { PermissionRequest } from "../tools/tool.ts";

type Asked = Pick<PermissionRequest, "action" | "subject" | "path" | "reads">;

/** Decides which actions a run may perform without asking, and stores remembered answers. */
export interface Permissions {
  /**
   * Decides by the session's mode and the permission rules. Returns "ask" instead of "allow" as long as `warning()`
   * returns a text.
   */
  decide(request: Asked, mode: SessionMode): "allow" | "ask" | "deny";
  /**
   * Text that people must read before they allow anything. Null if there is none, or after a person has allowed a call.
   */
  warning(): string | null;
  /**
   * Records that a person has read the text of `warning()` and allowed a call. `warning()` no longer returns this text.
   */
  noted(): void;
  /** Reads the remembered rules again: a person may have revoked some. */
  reload(): Promise<void>;
  /** Returns the rules that a remembered answer would store, or the reason why it cannot be remembered. */
  rememberable(request: Asked, effect: "allow" | "deny"): Rememberable;
  /** Stores the rules. Returns the reason if storing failed; the answer still applies to the current call. */
  remember(rules: readonly PermissionRule[], scope: "session" | "project"): Promise<string | null>;
}

export interface Rememberable {
  /** Empty if the answer cannot be remembered. */
  readonly rules: readonly PermissionRule[];
  readonly objection: string | null;
}

/**
 * Loads the permission rules: the given ones, then the project's, then the session's. The last matching rule decides.
 */
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
  let noted: readonly string[] = [];
  const read = async (): Promise<void> => {
    const kept = await Promise.all([
      remembered.read(scopes.project),
      remembered.read(scopes.session),
    ]);
    all = [...rules, ...kept.flatMap((part) => part.rules)];
    problems = kept.flatMap(({ problem }) => problem ?? []).filter((text) => !noted.includes(text));
  };
  await read();
  return {
    decide: (request, mode) => {
      const decision = decidePermission(all, request, { directory, mode });
      // Ask, because the rule file that could not be read may contain a deny rule.
      return decision === "allow" && problems.length > 0 ? "ask" : decision;
    },
    warning: () => (problems.length === 0 ? null : `${problems.join("\n")}\n${advice}`),
    noted: () => {
      noted = [...noted, ...problems];
      problems = [];
    },
    reload: read,
    rememberable: (request, effect) => {
      const found =
        effect === "allow"
          ? rulesToAllow(request, { rules: all, directory })
          : [ruleFor(request, { effect, reach: "similar", directory })];
      const problem = effect === "allow" ? rememberProblem(request, directory) : null;
      const objections = found.flatMap((rule) => remembered.objection(rule) ?? []);
      const [objection = null] = problem === null ? objections : [problem];
      return { rules: objection === null ? found : [], objection };
    },
    remember: async (found, scope) => {
      try {
        for (const rule of found) await remembered.add(scopes[scope], rule);
      } catch (error) {
        if (!(error instanceof Error && "syscall" in error)) throw error;
        return `the rule was not saved, because ${folderProblem(error)}`;
      }
      await read();
      return null;
    },
  };
}

const advice =
  "Fix or remove the file. Until then its rules do not apply. If you allow this call, the run continues " +
  "without them; a remembered answer starts a new file and keeps the old one under another name.";
