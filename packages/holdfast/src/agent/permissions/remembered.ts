import { createHash } from "node:crypto";
import { realpath, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../base/folders.ts";
import { createMutex } from "../../base/serial.ts";
import { shareWork } from "../../base/share-work.ts";
import { putFile, readWhole } from "../tools/files.ts";
import type { PermissionRule } from "./rule.ts";

/** Whom a remembered rule is for. */
export type RememberedScope =
  | { readonly kind: "project"; readonly directory: string }
  | { readonly kind: "session"; readonly sessionId: string };

/** Rules that people have asked to keep, in files of one folder. */
export interface RememberedRules {
  /** A file that cannot be understood counts as no rules, and `problem` says so. */
  read(scope: RememberedScope): Promise<{
    readonly rules: readonly PermissionRule[];
    readonly problem: string | null;
  }>;
  /** Why a rule cannot be kept; null when it can. */
  objection(rule: PermissionRule): string | null;
  /** Keeps a rule, after the others. A file that cannot be understood is set aside, not lost. */
  add(scope: RememberedScope, rule: PermissionRule): Promise<void>;
}

const schema = z.object({
  version: z.literal(1),
  /** For people who look into the file. */
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
  /** Takes configured keys out of a text: a rule that holds one is not written down. */
  options: { readonly redact: (text: string) => string },
): RememberedRules {
  const oneAtATime = createMutex();

  const readShared = shareWork(readRules);
  const read: RememberedRules["read"] = async (scope) => {
    const real = await realFolder();
    // Nothing was ever remembered.
    if (real === null) return { rules: [], problem: null };
    const { rules, problem } = await readShared(join(real, fileName(scope)));
    return { rules, problem };
  };
  let known: string | null = null;
  /** Null when it is not there yet. */
  const realFolder = async (): Promise<string | null> =>
    (known ??= await realpath(folder).catch(() => null));

  const objection: RememberedRules["objection"] = ({ pattern }) =>
    options.redact(pattern) === pattern ? null : "it holds a configured key";

  const add = async (scope: RememberedScope, rule: PermissionRule): Promise<void> => {
    const reason = objection(rule);
    if (reason !== null) throw new Error(`a rule is not kept: ${reason}`);
    await makeFolder(folder, 0o700);
    const path = join((await realFolder()) ?? folder, fileName(scope));
    const { rules, problem, before } = await readRules(path);
    if (problem !== null) await rename(path, `${path}.unreadable`);
    const { action, pattern, effect } = rule;
    const others = rules.filter((known) => known.action !== action || known.pattern !== pattern);
    const content = {
      version: 1,
      scope: nameOf(scope),
      rules: [...others, { action, pattern, effect }],
    };
    const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
    await putFile({ path, bytes, before: problem === null ? before : null });
  };

  return {
    read,
    objection,
    add: (scope, rule) => oneAtATime(() => add(scope, rule)),
  };
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
      problem: `the remembered rules in ${path} are not used: ${reason}`,
      before,
    };
  }
}

/** Names of directories and sessions can be anything, so files are named by their hash. */
function fileName(scope: RememberedScope): string {
  const hash = createHash("sha256").update(nameOf(scope)).digest("hex").slice(0, 32);
  return `${scope.kind}-${hash}.json`;
}

function nameOf(scope: RememberedScope): string {
  return scope.kind === "project" ? scope.directory : scope.sessionId;
}
