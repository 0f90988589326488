import assert from "node:assert/strict";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

const allow = { action: "run", pattern: "npm *", effect: "allow" };

test("a command of the project cannot use the permissions of the user's own agent", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { agents: { yolo: { permissions: [allow] } } });
  fixture.write("project/.holdfast/commands/do.md", "---\nagent: yolo\n---\ndo");
  const { powers, config, notices } = await fixture.read();
  assert.equal(powers.trusted, false);
  assert.equal(config.commands.get("do")?.agent, null);
  assert.deepEqual(fixture.lines(notices), [
    "project/.holdfast/commands/do.md:2:8: commands.do.agent: is ignored until you trust this project (`holdfast trust`): uses your agent yolo with its permissions",
  ]);
});

test("a command of the project does not replace the user's own command without trust", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/commands/commit.md", "mine");
  fixture.write("project/.holdfast/commands/commit.md", "theirs");
  const { powers, config } = await fixture.read();
  assert.deepEqual(
    powers.list.map(({ key, summary }) => [key, summary]),
    [["commands.commit", "replaces your command commit"]],
  );
  assert.equal(config.commands.get("commit")?.text, "mine");
  const trusted = await fixture.read({ trusted: powers.digest });
  assert.equal(trusted.config.commands.get("commit")?.text, "theirs");
});

test("rules of an agent in a markdown file are privileged settings too, with their position", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write(
    "project/.holdfast/agents/a.md",
    "---\npermissions:\n  - { action: run, pattern: x, effect: ask }\n  - { action: run, pattern: y, effect: allow }\n---\nx",
  );
  const { powers, config } = await fixture.read();
  assert.deepEqual(powers.list, [
    {
      key: "agents.a.permissions[1]",
      file: `${fixture.directory}/.holdfast/agents/a.md`,
      line: 4,
      column: 5,
      summary: "allows run y without asking",
    },
  ]);
  assert.deepEqual(config.agents.get("a")?.permissions, [
    { action: "run", pattern: "x", effect: "ask" },
  ]);
});
