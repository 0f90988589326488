import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleFor } from "../../../src/agent/permissions/remember.ts";
import type { PermissionEffect, PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";

function decide(rules: readonly PermissionRule[], subject: string): PermissionEffect {
  return decidePermission([...defaultRules(), ...rules], { action: "run", subject });
}

function run(pattern: string, effect: PermissionEffect = "allow"): PermissionRule {
  return { action: "run", pattern, effect };
}

/** The rule that "always" makes of a harmless command. */
function always(subject: string): PermissionRule {
  return ruleFor({ action: "run", subject }, { effect: "allow", reach: "similar" });
}

test("an escaped > before & starts a second command, so npm test \\>&touch PWNED needs permission", () => {
  assert.equal(decide([run("npm test *")], "npm test \\>&touch PWNED"), "ask");
  assert.equal(decide([run("npm test *"), run("touch *")], "npm test \\>&touch PWNED"), "ask");
});

test("deny rm * is not evaded by an escaped > before &", () => {
  const rules = [run("*"), run("rm *", "deny")];
  assert.equal(decide(rules, "npm test \\>&rm -rf x"), "deny");
  assert.equal(decide([run("npm test *"), run("rm *", "deny")], "npm test \\>&rm x"), "deny");
});

test("dash runs the words after &>/dev/null, so npm test &>/dev/null CMD needs permission", () => {
  assert.equal(decide([run("npm test *")], "npm test &>/dev/null touch PWNED"), "ask");
  assert.equal(decide([run("npm test *")], "npm test &>/dev/null"), "ask");
  assert.equal(decide([run("*"), run("rm *", "deny")], "npm test &>/dev/null rm x"), "ask");
});

const attacks: [name: string, harmless: string, rule: string, attacks: string[]][] = [
  [
    "git fetch --upload-pack=CMD",
    "git fetch origin",
    "git fetch *",
    [
      "git fetch --upload-pack=CMD origin",
      "git fetch --upload-pack CMD",
      "git fetch --upl=CMD .",
      "git fetch . '--upload'-pack=CMD",
      "git fetch -q --uplo\\ad-pack=CMD",
    ],
  ],
  [
    "git grep -O",
    "git grep -n word",
    "git grep *",
    ["git grep -O", "git grep -inOtouch x", "git grep --open=CMD x", "git grep -e -- -OCMD x"],
  ],
  ["split --filter", "split a.txt", "split *", ["split --filter=CMD a", "split --fil CMD a"]],
  [
    "sort -o",
    "sort a.txt",
    "sort *",
    [
      "sort -o b a",
      "sort -uob a",
      "sort --outp=b a",
      "sort a -- x; sort -k 1 -- -o b",
      "sort --compress-program=CMD a",
      "sort --comp=CMD -S1 a",
      "sort *",
    ],
  ],
  [
    "rsync --daemon",
    "rsync -a src/ copy/",
    "rsync *",
    [
      "rsync --daemon --config=evil.conf",
      "rsync --daem --conf evil.conf",
      "rsync -a -M--log-file=/tmp/x src/ copy/",
      "rsync --remote-option=--rsh=CMD src/ copy/",
    ],
  ],
  [
    "tar -C",
    "tar xf a.tar",
    "tar *",
    [
      "tar xf a.tar -C ..",
      "tar -xC .. -f a.tar",
      "tar xCf .. a.tar",
      "tar xf a.tar --directory=..",
      "tar xf a.tar --direc ..",
      "tar --cd=.. -xf a.tar",
      "tar xf a.tar --one-top-level=../x",
    ],
  ],
  [
    "npm test --script-shell=",
    "npm test",
    "npm test *",
    [
      "npm test --script-shell=CMD",
      "npm test --script-sh CMD",
      "npm test --prefix=/tmp/evil",
      "npm test -C /tmp/evil",
      "npm test --node-options=--require=x",
    ],
  ],
];
for (const [name, harmless, pattern, subjects] of attacks) {
  test(`the rule that "always" makes of ${harmless} does not allow ${name}`, () => {
    const rule = always(harmless);
    assert.deepEqual(rule, run(pattern));
    assert.equal(decide([rule], harmless), "allow");
    assert.deepEqual(
      subjects.map((subject) => [subject, decide([rule], subject)]),
      subjects.map((subject) => [subject, "ask"]),
    );
  });
}

test("a rule that names the option allows it", () => {
  assert.equal(decide([run("sort -o out.txt *")], "sort -o out.txt a b"), "allow");
  assert.equal(decide([run("sort -o out.txt *")], "sort -o out.txt -o other a"), "ask");
  assert.equal(
    decide([run("git fetch --upload-pack=CMD")], "git fetch --upload-pack=CMD"),
    "allow",
  );
});

test("words of the test script after -- are not options of npm", () => {
  assert.equal(decide([run("npm test *")], "npm test -- --script-shell=x --watch"), "allow");
});

test("options before a subcommand are not covered by a wildcard", () => {
  const rules = [run("git *")];
  assert.equal(decide(rules, "git --no-pager log"), "allow");
  for (const subject of [
    "git -c core.pager=CMD log",
    "git -C /tmp/evil status",
    "git --exec-path=/tmp/evil status",
    "git --git-dir=/tmp/evil status",
    "git --config-env=core.pager=X log",
    "git -p log",
    "git config core.fsmonitor CMD",
    "git bisect run CMD",
    "git submodule foreach CMD",
  ]) {
    assert.equal(decide(rules, subject), "ask", subject);
  }
});

test("a command that changes the shell is allowed by no rule for commands", () => {
  const rules = [
    run("ls *"),
    run("alias *"),
    run("hash *"),
    run("printf *"),
    run("cd *"),
    run("test *"),
  ];
  for (const subject of [
    "alias ls=touch\nls PWNED",
    "hash -p /tmp/evil ls; ls",
    "printf -v PATH /tmp/evil; ls",
    "test -v 'a[$(touch PWNED)]'",
    "cd /tmp/evil; ls",
    "PATH=/tmp/evil ls",
    "LD_PRELOAD=./evil.so ls",
    "GIT_SSH_COMMAND=CMD ls",
  ]) {
    assert.equal(decide(rules, subject), "ask", subject);
  }
});

test("a command needs permission if a deny rule might match one of its unknown words, even if everything is allowed", () => {
  const rules = [run("*"), run("rm *", "deny"), run("git push *", "deny")];
  const cases: [string, PermissionEffect][] = [
    ["X=rm; $X file", "ask"],
    ["r$(echo m) file", "ask"],
    ["/bin/r? file", "ask"],
    ["{rm,file}", "ask"],
    ["alias x=rm\nx file", "ask"],
    ["x() { \\rm file; }; x", "ask"],
    ["case a in a) rm file;; esac", "ask"],
    ["cat <<x | sh\nrm file\nx", "ask"],
    ["ls $'\\x72m'", "ask"],
    ["git $SUB origin", "ask"],
    ['bash -c "$CMD"', "ask"],
    ["rm $X", "deny"],
    ["for f in a b; do rm $f; done", "deny"],
    ["env -S 'rm file'", "deny"],
    ["time -p rm file", "deny"],
    ["RM file", "deny"],
    ["echo rm file | sh", "ask"],
    ["echo rm file | bash -s x", "ask"],
    ["bash build.sh", "allow"],
    ["echo $HOME > log", "allow"],
    ["for f in *.ts; do echo $f; done", "allow"],
    ["git log $BRANCH", "allow"],
  ];
  assert.deepEqual(
    cases.map(([subject]) => [subject, decide(rules, subject)]),
    cases,
  );
});
