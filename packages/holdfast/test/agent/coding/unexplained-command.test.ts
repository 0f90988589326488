import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { openWorld } from "./world.ts";

const rules: PermissionRule[] = [
  ...defaultRules(),
  { action: "run", pattern: "true *", effect: "allow" },
];

test("R4 a second command after an allowed one needs permission, with the reason, and is not run", async (t) => {
  const world = await openWorld(t, {
    setup: { rules },
    script: inOrder(
      asks({ name: "shell", input: { command: "true \\>&touch PWNED" }, id: "a" }),
      says("I see."),
    ),
  });
  await world.prompt("p1");
  const asked = await world.event(({ type }) => type === "ask.opened" || type === "tool.ended");
  assert(asked.type === "ask.opened", "the command was not asked about");
  const body: { question: string; extra: { remembers: unknown } } = JSON.parse(
    await world.body(asked.body),
  );
  // On a machine without a sandbox, another line says that there is no sandbox.
  const [first, ...more] = body.question.split("\n");
  assert.equal(first, "May the agent run true \\>&touch PWNED?");
  assert.equal(
    more.at(-1),
    "This answer cannot be remembered: `&` leaves a command running in the background, but rules can " +
      "only cover plain commands.",
  );
  assert.deepEqual(body.extra.remembers, []);
  await world.answer("deny");
  assert.equal((await world.outcome("p1")).text, "I see.");
  assert.throws(() => world.read("PWNED"));
});
