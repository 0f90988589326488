import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { planRefusal } from "../../../src/agent/permissions/mode.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { openWorld } from "./world.ts";

/** Rules of a user who wants no permission requests. */
const allowAll: PermissionRule[] = [
  ...defaultRules(),
  { action: "*", pattern: "*", effect: "allow" },
];

const attacks = [
  ["write", { path: "new.txt", content: "x" }],
  ["edit", { path: "a.txt", edits: [{ old: "one", new: "two" }] }],
  ["shell", { command: "touch new.txt" }],
  ["shell", { command: "echo x > new.txt" }],
  ["shell", { command: "cat a.txt | tee new.txt" }],
  ["shell", { command: "cat $(touch new.txt)" }],
  ["shell", { command: "ls", network: true }],
  ["shell", { command: "find . -name a.txt -delete" }],
  ["send", { session: "other", prompt: "Write new.txt." }],
] as const;

test("in plan mode, a model that ignores the plan changes nothing, whatever the rules allow", async (t) => {
  const calls = attacks.map(([name, input], at) => ({ name, input, id: `c${at}` }));
  const world = await openWorld(t, {
    setup: { rules: allowAll },
    files: { "a.txt": "one\n" },
    script: inOrder(
      asks({ name: "read", input: { path: "a.txt" }, id: "r" }),
      asks(...calls),
      says("Here is the plan."),
    ),
  });
  const before = readdirSync(world.directory);
  await world.holdfast().createSession({ sessionId: "other", directory: world.directory });
  await world.holdfast().setMode({ sessionId: "main", mode: "plan" });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Here is the plan." });
  const last = world.server.calls.at(-1);
  const results = last?.messages.flatMap((message) => message.results).slice(1);
  assert.deepEqual(
    results,
    calls.map(({ id }) => ({ id, text: planRefusal })),
  );
  assert.deepEqual([readdirSync(world.directory), world.read("a.txt")], [before, "one\n"]);
  assert.equal((await world.log("other")).length, 1);
  assert.match(last?.system ?? "", /# Plan mode/);
});

test("in plan mode, commands that only read run, and a child session is in plan mode too", async (t) => {
  const world = await openWorld(t, {
    setup: { rules: allowAll },
    files: { "a.txt": "one\n" },
    script: inOrder(
      asks(
        { name: "shell", input: { command: "cat a.txt | head -1" }, id: "a" },
        { name: "task", input: { prompt: "Write new.txt." }, id: "b" },
      ),
      asks({ name: "write", input: { path: "new.txt", content: "x" }, id: "c" }),
      says("The child could not."),
      says("Here is the plan."),
    ),
  });
  await world.holdfast().setMode({ sessionId: "main", mode: "plan" });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).text, "Here is the plan.");
  const results = world.server.calls.flatMap(({ messages }) =>
    messages.flatMap((message) => message.results),
  );
  assert.match(results.find(({ id }) => id === "a")?.text ?? "", /^one\b/);
  assert.equal(results.find(({ id }) => id === "c")?.text, planRefusal);
  assert.throws(() => world.read("new.txt"));
});

test("a call that waits for permission is refused if the session enters plan mode meanwhile", async (t) => {
  const world = await openWorld(t, {
    setup: { rules: defaultRules() },
    script: inOrder(
      asks({ name: "write", input: { path: "new.txt", content: "x" }, id: "a" }),
      says("I see."),
      asks({ name: "write", input: { path: "new.txt", content: "y" }, id: "b" }),
      says("Done."),
    ),
  });
  await world.prompt("p1");
  await world.event(({ type }) => type === "ask.opened");
  await world.holdfast().setMode({ sessionId: "main", mode: "plan" });
  await world.answer("allow");
  await world.outcome("p1");
  assert.throws(() => world.read("new.txt"));
  await world.holdfast().setMode({ sessionId: "main", mode: "acceptEdits" });
  await world.prompt("p2");
  await world.outcome("p2");
  assert.equal(world.read("new.txt"), "y");
  assert.doesNotMatch(world.server.calls.at(-1)?.system ?? "", /# Plan mode/);
});
