import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleFor } from "../../../src/agent/permissions/remember.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";

const install = { action: "network", subject: "npm install" } as const;

function decide(...rules: readonly PermissionRule[]): string {
  return decidePermission([...defaultRules(), ...rules], install);
}

test("network access needs a rule about the network; a rule that allows the command is not enough", () => {
  const runs: PermissionRule = { action: "run", pattern: "npm install *", effect: "allow" };
  const connects: PermissionRule = { action: "network", pattern: "npm install *", effect: "allow" };
  assert.deepEqual(
    [
      decide(),
      decide(runs),
      decide(connects),
      decidePermission([...defaultRules(), connects], { ...install, action: "run" }),
    ],
    ["ask", "ask", "allow", "ask"],
  );
});

test("a rule that denies a command, or asks, also applies if the command needs the network", () => {
  const connects: PermissionRule = { action: "network", pattern: "npm *", effect: "allow" };
  assert.deepEqual(
    [
      decide(connects, { action: "run", pattern: "npm install *", effect: "deny" }),
      decide({ action: "run", pattern: "npm install *", effect: "deny" }, connects),
      decide(connects, { action: "run", pattern: "npm install *", effect: "ask" }),
    ],
    ["deny", "deny", "ask"],
  );
});

test("a remembered answer about a command with network access is a rule about the network", () => {
  const fetch = { action: "network", subject: "git fetch origin" } as const;
  assert.deepEqual(ruleFor(fetch, { effect: "allow", reach: "similar" }), {
    action: "network",
    pattern: "git fetch *",
    effect: "allow",
  });
});
