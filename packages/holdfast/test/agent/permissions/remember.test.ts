import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rememberProblem, ruleFor, rulesToAllow } from "../../../src/agent/permissions/remember.ts";
import { createRememberedRules } from "../../../src/agent/permissions/remembered.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import type { PermissionAction } from "../../../src/agent/tools/tool.ts";
import { temporaryFolder } from "../tools/workbench.ts";

const exact = { effect: "allow", reach: "exact" } as const;
const similar = { effect: "allow", reach: "similar" } as const;

test("a remembered answer becomes a rule that is no wider than the text that was shown", () => {
  const cases: [PermissionAction, subject: string, exact: string, similar: string][] = [
    ["read", ".env", "./.env", "./.env"],
    ["change", "src/a.ts", "./src/a.ts", "./src/**"],
    ["change", "src/[id]/a*.ts", "./src/\\[id\\]/a\\*.ts", "./src/\\[id\\]/**"],
    ["read", "/shared/x/y", "/shared/x/y", "/shared/x/**"],
    ["run", "ls -la", "ls -la", "ls *"],
    ["run", "npm test -- a", "npm test -- a", "npm test *"],
    ["run", "npm run build", "npm run build", "npm run build *"],
    ["run", "git -C x push", "git -C x push", "git -C x push"],
    ["run", "npm exec x", "npm exec x", "npm exec x"],
    ["run", "yarn dlx x", "yarn dlx x", "yarn dlx x"],
    ["run", "uv run pytest -q", "uv run pytest -q", "uv run pytest -q"],
    ["run", "uv run python x.py", "uv run python x.py", "uv run python x.py"],
    ["run", "git config a b", "git config a b", "git config a b"],
    ["run", "python x.py", "python x.py", "python x.py"],
    ["run", "rm x", "rm x", "rm x"],
    ["run", "git fetch -q", "git fetch -q", "git fetch *"],
    ["run", "git fetch --upload-pack=x", "git fetch --upload-pack=x", "git fetch --upload-pack=x"],
    ["run", "find . -delete", "find . -delete", "find . -delete"],
    ["run", "make test", "make test", "make test *"],
    ["run", "make CC=x", "make CC=x", "make CC=x"],
    ["run", "mytool -x 'a*'", "mytool -x 'a\\*'", "mytool -x 'a\\*'"],
    ["run", "sudo ls", "sudo ls", "sudo ls"],
    ["run", "ls; rm x", "ls; rm x", "ls; rm x"],
    ["fetch", "https://a.org/x?y", "a.org", "a.org"],
    ["fetch", "http://[::1]:80/", "\\[::1\\]", "\\[::1\\]"],
    ["send", "session:s2", "session:s2", "session:s2"],
    ["mcp", "files/read", "files/read", "files/read"],
  ];
  assert.deepEqual(
    cases.map(([action, subject]) => [
      action,
      subject,
      ruleFor({ action, subject }, exact).pattern,
      ruleFor({ action, subject }, similar).pattern,
    ]),
    cases,
  );
  // Each rule allows the request that it was made from.
  for (const [action, subject] of cases) {
    for (const remembering of [exact, similar]) {
      const rules = [...defaultRules(), ruleFor({ action, subject }, remembering)];
      assert.equal(decidePermission(rules, { action, subject }), "allow", `${action} ${subject}`);
    }
  }
});

test("an answer for a command that needs the shell cannot be remembered, and the reason is shown", () => {
  const cases: [string, string | null][] = [
    ["npm test", null],
    ["npm test | tail -5 && mytool", null],
    ["npm test > log", "`>` writes to a file, but rules can only cover plain commands"],
    [
      "ls $HOME",
      "`$` is a value that only the shell knows, but rules can only cover plain commands",
    ],
    [
      "npm test &",
      "`&` leaves a command running in the background, but rules can only cover plain commands",
    ],
    [
      "cd x; ls",
      "`cd` changes the shell for later commands, but rules can only cover plain commands",
    ],
  ];
  assert.deepEqual(
    cases.map(([subject]) => [subject, rememberProblem({ action: "run", subject })]),
    cases,
  );
  assert.equal(rememberProblem({ action: "read", subject: "$(x)" }), null);
});

const nothingToHide = { redact: (text: string) => text };
const hidingKey = { redact: (text: string) => text.replaceAll("sk-123", "[secret]") };
const npm: PermissionRule = { action: "run", pattern: "npm test *", effect: "allow" };
const src: PermissionRule = { action: "change", pattern: "./src/**", effect: "allow" };

test("rules are stored per project or session, in order and once, even by several writers at once", async (t) => {
  const folder = join(temporaryFolder(t), "rules");
  const project = { kind: "project", directory: "/some/where" } as const;
  const session = { kind: "session", sessionId: "s/../1" } as const;
  const remembered = createRememberedRules(folder, nothingToHide);
  assert.deepEqual(await remembered.read(project), { rules: [], problem: null });
  await Promise.all([
    remembered.add(project, npm),
    remembered.add(project, src),
    remembered.add(session, npm),
    remembered.add(project, { ...npm, effect: "deny" }),
  ]);
  const again = createRememberedRules(folder, nothingToHide);
  assert.deepEqual(
    [
      await again.read(project),
      await again.read(session),
      await again.read({ kind: "session", sessionId: "/some/where" }),
    ],
    [
      { rules: [src, { ...npm, effect: "deny" }], problem: null },
      { rules: [npm], problem: null },
      { rules: [], problem: null },
    ],
  );
  assert.equal(readdirSync(folder).length, 2);
  assert.equal(statSync(folder).mode & 0o077, 0);
});

test("an invalid file counts as empty, is reported, and is not lost", async (t) => {
  const folder = temporaryFolder(t);
  const scope = { kind: "session", sessionId: "s1" } as const;
  const remembered = createRememberedRules(folder, nothingToHide);
  await remembered.add(scope, npm);
  const [name = ""] = readdirSync(folder);
  const path = join(folder, name);
  const broken = [
    "{",
    '{"version":2,"scope":"s1","rules":[]}',
    '{"version":1,"scope":"s1","rules":[{"action":"run","pattern":"*","effect":"maybe"}]}',
  ];
  for (const content of broken) {
    writeFileSync(path, content);
    const { rules, problem } = await remembered.read(scope);
    assert.deepEqual(rules, []);
    assert.ok(problem?.startsWith(`The remembered rules in ${path} are ignored: `));
    await remembered.add(scope, src);
    assert.deepEqual(await remembered.read(scope), { rules: [src], problem: null });
    assert.equal(readFileSync(`${path}.unreadable`, "utf8"), content);
  }
});

test("a rule that contains a configured key is not stored, and the reason is shown", async (t) => {
  const folder = temporaryFolder(t);
  const remembered = createRememberedRules(folder, hidingKey);
  const rule = { ...npm, pattern: "curl -H sk-123 a.org" };
  assert.equal(remembered.objection(npm), null);
  assert.equal(remembered.objection(rule), "it contains a configured secret");
  const scope = { kind: "session", sessionId: "s1" } as const;
  await assert.rejects(
    remembered.add(scope, rule),
    /The rule was not saved: it contains a configured secret/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('the answer "always" to a line of several commands stores a rule for each command that needs one', () => {
  const directory = "/project";
  const line = "npm run build && git push origin main | tail -5; mytool x";
  const reads = [null, null, [], null];
  const request = { action: "run", subject: line, reads } as const;
  const before = defaultRules();
  const found = rulesToAllow(request, { rules: before, directory });
  assert.deepEqual(
    found.map(({ pattern }) => pattern),
    ["npm run build *", "git push *", "mytool x"],
  );
  const rules = [...before, ...found];
  const decide = (subject: string): string =>
    decidePermission(rules, { action: "run", subject }, { directory });
  assert.deepEqual(
    [line, "git push origin next", "mytool x && npm run build", "mytool y", "npm run deploy"].map(
      (subject) =>
        subject === line ? decidePermission(rules, request, { directory }) : decide(subject),
    ),
    ["allow", "allow", "allow", "ask", "ask"],
  );
  const again = { action: "run", subject: "git push && make test" } as const;
  assert.deepEqual(rulesToAllow(again, { rules, directory }), [
    { action: "run", pattern: "make test *", effect: "allow" },
  ]);
  const inFolder = { action: "run", subject: "cd web && npm test && mytool" } as const;
  assert.deepEqual(
    rulesToAllow(inFolder, { rules, directory }).map(({ pattern }) => pattern),
    ["cd web && npm test *", "cd web && mytool"],
  );
});
