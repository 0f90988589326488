import assert from "node:assert/strict";
import { test } from "node:test";
import { askSubject } from "../src/ask-extra.ts";
import { ruleScope } from "../src/rule-scope.ts";

test("a rule's scope is the folder, file, command, host or tool that it covers", () => {
  const cases = [
    [{ action: "change", pattern: "./src/**" }, ["all", "src/"]],
    [{ action: "change", pattern: "./a\\[1\\].txt" }, ["one", "a[1].txt"]],
    [{ action: "read", pattern: "/etc/**" }, ["all", "/etc/"]],
    [{ action: "run", pattern: "npm test *" }, ["all", "npm test"]],
    [{ action: "run", pattern: "ls \\*" }, ["one", "ls *"]],
    [{ action: "fetch", pattern: "example.com" }, ["one", "example.com"]],
  ] as const;
  for (const [rule, [reach, target]] of cases) {
    assert.deepEqual(ruleScope(rule), { action: rule.action, reach, target });
  }
});

test("a rule with other wildcards has no scope, so that a button cannot promise less than the rule allows", () => {
  for (const pattern of ["./src/*/x", "./**", "./{a,b}", "./a?", "*"]) {
    assert.equal(ruleScope({ action: "change", pattern }), null);
  }
  assert.equal(ruleScope({ action: "run", pattern: "rm * -rf *" }), null);
  assert.equal(ruleScope({ action: "*", pattern: "x" }), null);
});

test("several rules have several scopes, unless one of them is unknown", () => {
  const run = { action: "run", pattern: "npm test *", effect: "allow" };
  const known = { action: "change", pattern: "./a.txt", effect: "allow" };
  assert.deepEqual(
    askSubject({ remembers: [run, known] }).scopes?.map(({ target }) => target),
    ["npm test", "a.txt"],
  );
  assert.equal(askSubject({ remembers: [run, { action: "fly", pattern: "x" }] }).scopes, null);
});

test("details of an ask that are not as expected are left out", () => {
  const nothing = { action: null, subject: null, path: null, preview: null, change: null };
  const rest = {
    agent: null,
    omittedCharacters: 0,
    remembers: null,
    scopes: [],
    choices: [],
    budget: null,
  };
  for (const extra of [
    null,
    3,
    { permission: "x", choices: "y" },
    { permission: { change: {} } },
  ]) {
    assert.deepEqual(askSubject(extra), { kind: "permission", ...nothing, ...rest });
  }
});
