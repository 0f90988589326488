import { createHash } from "node:crypto";
import { realpath, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../base/folders.ts";
import { createMutex } from "../../base/serial.ts";
import { shareWork } from "../../base/share-work.ts";
import { putFile, readWhole } from "../tools/files.ts";
import type { PermissionRule } from "./rule.ts";

/** The scope in which a remembered rule applies. */
export type RememberedScope =
  | { readonly kind: "project"; readonly directory: string }
  | { readonly kind: "session"; readonly sessionId: string };

/** Permission rules that people's answers created, stored as files in one folder. */
export interface RememberedRules {
  /** Reads the rules. An invalid file counts as empty, and `problem` says why. */
  read(scope: RememberedScope): Promise<{
    readonly rules: readonly PermissionRule[];
    readonly problem: string | null;
  }>;
  /** Returns the reason why a rule cannot be stored; null if it can. */
  objection(rule: PermissionRule): string | null;
  /** Appends a rule. An invalid file is renamed, not overwritten. */
  add(scope: RememberedScope, rule: PermissionRule): Promise<void>;
  /** Removes a rule. Does nothing if there is no such rule, or if the file is invalid. */
  remove(scope: RememberedScope, rule: Pick<PermissionRule, "action" | "pattern">): Promise<void>;
}

const schema = z.object({
  version: z.literal(1),
  /** Readable scope for people who open the file. The program does not use it. */
  scope: z.string(),
  rules: z.array(
    z.strictObject({
      action: z.enum(["read", "change", "run", "network", "fetch", "send", "mcp", "*"]),
      pattern: z.string(),
      effect: z.enum(["allow", "ask", "deny"]),
    }),
  ),
});

const maxBytes = 1_000_000;

export function createRememberedRules(
  folder: string,
  /** `redact` removes secrets from a text. A rule whose text it changes contains a secret and is not stored. */
  options: { readonly redact: (text: string) => string },
): RememberedRules {
  const mutex = createMutex();

  const readShared = shareWork(readRules);
  const read: RememberedRules["read"] = async (scope) => {
    const real = await realFolder();
    // The folder of the stored rules does not exist, so no rule was ever stored.
    if (real === null) return { rules: [], problem: null };
    const { rules, problem } = await readShared(join(real, fileName(scope)));
    return { rules, problem };
  };
  let known: string | null = null;
  /** Returns the real path of the folder; null if it does not exist yet. */
  const realFolder = async (): Promise<string | null> =>
    (known ??= await realpath(folder).catch(() => null));

  const objection: RememberedRules["objection"] = ({ pattern }) =>
    options.redact(pattern) === pattern ? null : "it contains a configured secret";

  const add = async (scope: RememberedScope, rule: PermissionRule): Promise<void> => {
    const reason = objection(rule);
    if (reason !== null) throw new Error(`The rule was not saved: ${reason}.`);
    await makeFolder(folder, 0o700);
    const path = join((await realFolder()) ?? folder, fileName(scope));
    const { rules, problem, before } = await readRules(path);
    if (problem !== null) await rename(path, `${path}.unreadable`);
    const { action, pattern, effect } = rule;
    const bytes = fileContent(scope, [...others(rules, rule), { action, pattern, effect }]);
    await putFile({ path, bytes, before: problem === null ? before : null });
  };

  const remove: RememberedRules["remove"] = async (scope, rule) => {
    const real = await realFolder();
    if (real === null) return;
    const path = join(real, fileName(scope));
    const { rules, problem, before } = await readRules(path);
    const left = others(rules, rule);
    if (problem !== null || left.length === rules.length) return;
    await putFile({ path, bytes: fileContent(scope, left), before });
  };

  return {
    read,
    objection,
    add: (scope, rule) => mutex(() => add(scope, rule)),
    remove: (scope, rule) => mutex(() => remove(scope, rule)),
  };
}

function others(
  rules: readonly PermissionRule[],
  { action, pattern }: Pick<PermissionRule, "action" | "pattern">,
): readonly PermissionRule[] {
  return rules.filter((known) => known.action !== action || known.pattern !== pattern);
}

function fileContent(scope: RememberedScope, rules: readonly PermissionRule[]): Buffer {
  const content = { version: 1, scope: nameOf(scope), rules };
  return Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
}

async function readRules(path: string): Promise<{
  rules: readonly PermissionRule[];
  problem: string | null;
  before: Awaited<ReturnType<typeof readWhole>>;
}> {
  let before: Awaited<ReturnType<typeof readWhole>> = null;
  try {
    before = await readWhole(path, maxBytes);
    if (before === null) return { rules: [], problem: null, before };
    const { rules } = schema.parse(JSON.parse(before.bytes.toString("utf8")));
    return { rules, problem: null, before };
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return {
      rules: [],
      problem: `The remembered rules in ${path} are ignored: ${reason}`,
      before,
    };
  }
}

/** Returns the file name for a scope: a hash, because directories and session ids can contain any characters. */
function fileName(scope: RememberedScope): string {
  const hash = createHash("sha256").update(nameOf(scope)).digest("hex").slice(0, 32);
  return `${scope.kind}-${hash}.json`;
}

function nameOf(scope: RememberedScope): string {
  return scope.kind === "project" ? scope.directory : scope.sessionId;
}
