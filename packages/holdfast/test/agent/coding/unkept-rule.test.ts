import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { codingTools } from "../../../src/agent/tools/all.ts";
import { environment, openWorld } from "./world.ts";

const note =
  "[The answer applies to this call only: the rule was not saved, because the path contains a file " +
  "or a broken link instead of a folder]";

/** The result of a command says whether it ran in a sandbox, so the test decides that. */
const withoutSandbox = codingTools({ shell: { environment, findSandbox: async () => null } });

for (const [verdict, told] of [
  ["allow", "said\n[ran without a sandbox: none works on this machine]"],
  ["deny", "The user denied this call."],
] as const) {
  test(`R4 ${verdict} that cannot be remembered applies once, and the run continues`, async (t) => {
    const world = await openWorld(t, {
      setup: { rules: defaultRules(), tools: withoutSandbox },
      script: inOrder(
        asks({ name: "shell", input: { command: "sh -c 'echo said'" }, id: "a" }),
        says("Done."),
      ),
    });
    await world.prompt("p1");
    await world.event(({ type }) => type === "ask.opened");
    // Put a file at the place of the folder for rules, so that no rule can be stored.
    writeFileSync(join(dirname(world.file), "permissions"), "");
    await world.answer(verdict, { remember: "project" });
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Done." });
    const results = world.server.calls.at(-1)?.messages.flatMap((message) => message.results);
    assert.deepEqual(results, [{ id: "a", text: `${told}\n${note}` }]);
  });
}
