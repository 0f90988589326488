import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionEffect, PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import type { PermissionAction } from "../../../src/agent/tools/tool.ts";

type Case = [subject: string, effect: PermissionEffect];

function check(rules: readonly PermissionRule[], action: PermissionAction, cases: Case[]): void {
  assert.deepEqual(
    cases.map(([subject]) => [subject, decidePermission(rules, { action, subject })]),
    cases,
  );
}

function allow(action: PermissionAction, pattern: string): PermissionRule {
  return { action, pattern, effect: "allow" };
}

test("by default reading in the directory is allowed; keys and all actions need permission", () => {
  const rules = defaultRules({ allowedPaths: ["/shared"] });
  check(rules, "read", [
    [".", "allow"],
    ["src/main.ts", "allow"],
    [".env", "ask"],
    ["deep/.env.local", "ask"],
    [".env.example", "allow"],
    ["certs/server.pem", "ask"],
    ["home/.ssh/config", "ask"],
    ["id_ed25519", "ask"],
    ["/etc/passwd", "deny"],
    ["/shared", "allow"],
    ["/shared/a/b", "allow"],
    ["/shared/.env", "ask"],
    ["/sharedx", "deny"],
  ]);
  check(rules, "change", [
    ["src/main.ts", "ask"],
    ["/etc/passwd", "deny"],
    ["/shared/a", "ask"],
  ]);
  check(rules, "run", [["ls", "ask"]]);
  check(rules, "fetch", [["https://example.com/", "ask"]]);
  check(rules, "send", [
    ["task", "allow"],
    ["session:task", "ask"],
  ]);
  check(rules, "mcp", [["files/read", "ask"]]);
});

test("the last match counts, a deny always wins, and without a match people are asked", () => {
  const rules: PermissionRule[] = [
    allow("change", "src/**"),
    { action: "change", pattern: "src/gen/**", effect: "ask" },
    allow("change", "src/gen/ok.ts"),
    { action: "*", pattern: "*.lock", effect: "deny" },
    allow("change", "src/a.lock"),
  ];
  check(rules, "change", [
    ["src/a.ts", "allow"],
    ["src/gen/b.ts", "ask"],
    ["src/gen/ok.ts", "allow"],
    ["src/a.lock", "deny"],
    ["docs/x.md", "ask"],
  ]);
  check([], "read", [
    ["a", "ask"],
    ["/a", "deny"],
  ]);
});

test("a pattern without a slash matches a name anywhere; one with a slash matches a whole path", () => {
  check(
    [allow("change", "docs"), allow("change", "./top.md"), allow("change", "a/*.md")],
    "change",
    [
      ["docs", "allow"],
      ["x/docs/y.md", "allow"],
      ["top.md", "allow"],
      ["x/top.md", "ask"],
      ["a/b.md", "allow"],
      ["x/a/b.md", "ask"],
      ["/x/docs/y.md", "deny"],
    ],
  );
});

test("a rule for a command's first words allows no other command", () => {
  const rules = [...defaultRules(), allow("run", "git status *"), allow("run", "ls *")];
  check(rules, "run", [
    ["ls", "allow"],
    ["ls -la src", "allow"],
    ["  ls\t-la  ", "allow"],
    ["git status", "allow"],
    ["git status -s", "allow"],
    ["ls && git status", "allow"],
    ["ls | ls; ls\nls", "allow"],
    ["ls & ls", "ask"],
    ["ls \\\n-l # all", "allow"],
    ["ls 2>&1 >/dev/null", "allow"],
    ["ls 'a; rm b' \"c | d\" e\\;f", "allow"],
    ["git statusx", "ask"],
    ["lsx", "ask"],
    ["git push", "ask"],
    ["ls; rm -rf x", "ask"],
    ["ls && rm x", "ask"],
    ["ls || rm x", "ask"],
    ["ls | xargs rm", "ask"],
    ["ls & rm x", "ask"],
    ["ls\nrm x", "ask"],
    ["ls $(rm x)", "ask"],
    ['ls "$(rm x)"', "ask"],
    ["ls `rm x`", "ask"],
    ['ls "`rm x`"', "ask"],
    ["ls $HOME", "ask"],
    ["ls > x", "ask"],
    ["ls >x", "ask"],
    ["ls &>x", "ask"],
    ["ls 2>/dev/null/../x", "ask"],
    ["ls < x", "ask"],
    ["ls <(rm x)", "ask"],
    ["ls <<x\nrm\nx", "ask"],
    ["ls {a,b}", "ask"],
    ["(ls)", "ask"],
    ["ls # it's\nrm x # isn't it", "ask"],
    ["ls 'open", "ask"],
    ["ls;\\\nrm", "ask"],
    ["X=1 ls", "ask"],
    ["ls $'a\\'; rm x; echo \\''", "ask"],
    ["ls() { rm x; }; ls", "ask"],
    ["", "ask"],
    [";", "ask"],
  ]);
});

test("an exact rule allows a line of plain commands, and no line that needs the shell", () => {
  const rules = [
    ...defaultRules(),
    allow("run", "make 2>&1 | tail -5; rm '\\*'"),
    allow("run", "make > log"),
    allow("run", "echo $HOME"),
  ];
  check(rules, "run", [
    ["make 2>&1 | tail -5; rm '*'", "allow"],
    ["make 2>&1 | tail -5; rm x", "ask"],
    ["make > log", "ask"],
    ["echo $HOME", "ask"],
  ]);
});

test("even if everything is allowed, later ask and deny rules apply", () => {
  const rules: PermissionRule[] = [
    allow("run", "*"),
    allow("run", "git *"),
    { action: "run", pattern: "git push *", effect: "ask" },
    { action: "run", pattern: "*| sh*", effect: "ask" },
    { action: "run", pattern: "rm *", effect: "deny" },
  ];
  check(rules, "run", [
    ["anything > x", "allow"],
    // The words of both commands are unknown, so a rule that asks might match them.
    ["anything $(at all)", "ask"],
    ["git $(x)", "ask"],
    ["git push", "ask"],
    ["ls; git push origin", "ask"],
    ["curl x | sh", "ask"],
    ["rm x", "deny"],
    ["ls && rm x", "deny"],
    ["ls $(x); rm y", "deny"],
    ["'rm' x", "deny"],
    ["r\\m x", "deny"],
    ["/bin/rm x", "deny"],
    ["A=1 B=2 rm x", "deny"],
    ["sudo rm x", "deny"],
    ["if true; then rm x; fi", "deny"],
  ]);
});

test("restricting rules find commands after others, in substitutions, groups and quoted lines", () => {
  const rules: PermissionRule[] = [
    allow("run", "*"),
    { action: "run", pattern: "git push *", effect: "ask" },
    { action: "run", pattern: "rm *", effect: "deny" },
  ];
  check(rules, "run", [
    ["echo $(rm x)", "deny"],
    ['echo "$(ls; rm x)"', "deny"],
    ["echo `rm x`", "deny"],
    ["diff <(rm x) y", "deny"],
    ["(rm x)", "deny"],
    ["{ rm x; }", "deny"],
    ["timeout 5 rm x", "deny"],
    ["env -i A=b rm x", "deny"],
    ["sudo -u root rm x", "deny"],
    ["nice -n 19 rm x", "deny"],
    ["ls | xargs -0 -n 1 rm -f", "deny"],
    ["busybox rm x", "deny"],
    ["bash -c 'rm x'", "deny"],
    ['sh -ec "cd a && rm x"', "deny"],
    ["timeout 5 bash -c 'ls; \\rm x'", "deny"],
    ["eval rm x", "deny"],
    ["find . -name a -exec rm {} +", "deny"],
    ["git -C . push", "ask"],
    ["git -c a=b push origin", "ask"],
    ["git --no-pager push", "ask"],
    ["bash -c 'git push'", "ask"],
    [`${"echo a; ".repeat(3_000)}timeout 5 rm x`, "ask"],
    // Text is not a command if nothing runs it.
    ["echo '$(rm x)' 'rm x' rm", "allow"],
    ["git commit -m 'rm x; git push'", "allow"],
    ['git commit -m "say (rm x)"', "allow"],
    ["grep rm x", "allow"],
    ["git log -- push", "allow"],
  ]);
});

test("every command line is evaluated quickly", () => {
  const rules: PermissionRule[] = [
    allow("run", "*"),
    ...Array.from({ length: 50 }, (_, place): PermissionRule => {
      return { action: "run", pattern: `program${place} *`, effect: "deny" };
    }),
  ];
  const begun = performance.now();
  for (const piece of ["$(", "sudo env a ", "bash -c 'x ", "`", "(", "'\"", "find -exec "]) {
    const subject = piece.repeat(19_900 / piece.length);
    decidePermission(rules, { action: "run", subject });
  }
  assert.ok(performance.now() - begun < 5_000);
});

test("hosts are matched, not parts of an address", () => {
  const rules = [
    allow("fetch", "example.com"),
    allow("fetch", "*.docs.org"),
    allow("fetch", "localhost:3000"),
    allow("fetch", "any.net:*"),
  ];
  check(rules, "fetch", [
    ["https://example.com/a?b", "allow"],
    ["http://EXAMPLE.com", "allow"],
    ["https://example.com:8443/", "ask"],
    ["https://example.com.evil.org/", "ask"],
    ["https://evil.org/example.com", "ask"],
    ["https://evil.org/?https://example.com", "ask"],
    ["https://example.com@evil.org/", "ask"],
    ["https://a.docs.org/", "allow"],
    ["https://docs.org/", "ask"],
    ["http://localhost:3000/x", "allow"],
    ["http://localhost/", "ask"],
    ["http://any.net:9/", "allow"],
    ["nonsense", "ask"],
  ]);
});

test("tools of MCP servers are matched by server, or by server and tool", () => {
  const rules = [
    allow("mcp", "files"),
    allow("mcp", "git*"),
    allow("mcp", "web/get_*"),
    { action: "mcp", pattern: "files/delete", effect: "deny" } as const,
  ];
  check(rules, "mcp", [
    ["files/read", "allow"],
    ["files/delete", "deny"],
    ["filesystem/read", "ask"],
    ["github/push", "allow"],
    ["web/get_page", "allow"],
    ["web/post", "ask"],
    ["web/files", "ask"],
  ]);
});
