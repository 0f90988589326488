import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { openWorld } from "./world.ts";

function edit(
  id: string,
  old: string,
  path = "a.txt",
): { name: string; input: object; id: string } {
  return { name: "edit", input: { path, edits: [{ old, new: "x" }] }, id };
}

test("R4 nobody is asked about a change that cannot succeed", async (t) => {
  const world = await openWorld(t, {
    setup: { rules: defaultRules() },
    files: { "a.txt": "one\n", "b.txt": "two\n" },
    script: inOrder(
      asks({ name: "read", input: { path: "a.txt" }, id: "r" }),
      asks(
        edit("unseen", "two", "b.txt"),
        edit("missing", "three"),
        edit("gone", "x", "c.txt"),
        edit("outside", "x", "/etc/passwd"),
      ),
      says("I see."),
    ),
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).text, "I see.");
  const log = await world.log();
  assert.equal(log.filter(({ type }) => type === "ask.opened").length, 0);
  const results = world.server.calls.at(-1)?.messages.flatMap((message) => message.results);
  assert.deepEqual(
    results?.slice(1).map(({ text }) => text),
    [
      "b.txt exists but was not read in this session. Read it first.",
      "a.txt: the old text is not in the file; it must match exactly, including all white space",
      "c.txt: it does not exist",
      "A permission rule denies this call: change /etc/passwd.",
    ],
  );
});
