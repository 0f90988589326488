import assert from "node:assert/strict";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

const agent = "project/.holdfast/agents/reviewer.md";

test("an agent and a command can be markdown files: settings in the front matter, the prompt below", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write(
    agent,
    [
      "---",
      "description: Looks at changes # and nothing else",
      "model: a/b",
      "tools: [read, 'gr*']",
      "permissions:",
      "  - { action: run, pattern: '*', effect: deny }",
      "---",
      "",
      "You review.",
      "---",
      "Be kind.",
      "",
    ].join("\r\n"),
  );
  fixture.write("user/agents/plain.md", "Only a prompt.\n");
  fixture.write("user/agents/silent.md", "---\ndescription: No prompt of its own\n---\n");
  fixture.write(
    "project/.holdfast/commands/fix.md",
    "---\ndescription: Fixes an issue\nagent: reviewer\nmodel: a/c\neffort: low\nthinking: true\n---\nFix $1: $ARGUMENTS",
  );
  const { powers } = await fixture.read();
  const { config, notices } = await fixture.read({ trusted: powers.digest });
  assert.deepEqual(fixture.lines(notices), []);
  const usual = { description: "", model: null, wish: {}, tools: null, permissions: [] };
  assert.deepEqual(
    config.agents,
    new Map([
      ["plain", { ...usual, prompt: "Only a prompt." }],
      [
        "reviewer",
        {
          description: "Looks at changes",
          prompt: "You review.\r\n---\r\nBe kind.",
          model: "a/b",
          wish: {},
          tools: ["read", "gr*"],
          permissions: [{ action: "run", pattern: "*", effect: "deny" }],
        },
      ],
      ["silent", { ...usual, description: "No prompt of its own", prompt: null }],
    ]),
  );
  assert.deepEqual(
    config.commands,
    new Map([
      [
        "fix",
        {
          file: `${fixture.directory}/.holdfast/commands/fix.md`,
          description: "Fixes an issue",
          text: "Fix $1: $ARGUMENTS",
          agent: "reviewer",
          model: "a/c",
          wish: { effort: "low", thinking: true },
        },
      ],
    ]),
  );
});

const broken: readonly (readonly [text: string, line: string])[] = [
  ["---\nmodel: x\n", ":1:1: the front matter has no closing line of ---"],
  ["---\nmodel: x\n---\n", ':2:8: model: must be "provider/model", such as "openai/gpt-5"'],
  ["---\n- a\n---\n", ":2:1: the front matter must be lines of `name: value`"],
  ["---\na: 1\ntools: [\n---\n", ":4:1: a closing ] or } is missing before this line"],
  ["---\ndescription: a: b\n---\n", ":2:14: a value with a colon in it must be in quotes"],
  ["---\ntools: *\n---\n", ":2:8: a value that starts with * must be in quotes"],
  ["---\ntools\nmodel: a/b\n---\n", ":2:1: a colon is missing after this name"],
  ["---\ndescription: 'a\n---\n", ":3:1: a quote or a colon is missing before this place"],
  ["---\ntools: []\ntools: []\n---\n", ":3:1: is defined twice; remove one of them"],
  ["---\ntools: &a [x]\nmodel: *a\n---\n", ":3:8: a value that starts with * must be in quotes"],
  ["---\nmodel: !run x\n---\n", ":2:8: a value that starts with ! must be in quotes"],
  ["---\npermissions:\n\t- a\n---\n", ":3:1: is indented with a tab; use spaces"],
  ["---\n? [a]\n: b\n---\n", ":2:1: a name must be a single word"],
  [`---\ntools: ${"[".repeat(15_000)}\n---\n`, ":2:780: is nested too deeply"],
  [`---\n${"a".repeat(20_001)}\n---\n`, ":1:1: the front matter has more than 20000 characters"],
  [`x`.repeat(100_001), ":1:1: the text has more than 100000 characters"],
];

for (const [text, line] of broken) {
  test(`M6: ${JSON.stringify(text).slice(0, 50)} is refused with its position`, async (t) => {
    const fixture = openConfigFixture(t);
    fixture.write(agent, text);
    const [first = ""] = await fixture.errors();
    // The depth at which the stack overflows depends on Node.
    assert.equal(first.replace(/:2:\d{3}:/, ":2:780:"), `${agent}${line}`);
  });
}

test("an unknown key in the front matter causes a warning", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write(agent, "---\ndescription: a\ntool: [x]\n---\nx");
  assert.deepEqual(await fixture.warnings(), [
    `${agent}:3:1: tool: is unknown and has no effect; did you mean "tools"?`,
  ]);
});

test("a file with an invalid name is skipped, and hidden and other files are ignored", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/.holdfast/commands/two words.md", "x");
  fixture.write("project/.holdfast/commands/.hidden.md", "---");
  fixture.write("project/.holdfast/commands/notes.txt", "---");
  const { config, notices } = await fixture.read();
  assert.deepEqual([...config.commands], []);
  assert.deepEqual(fixture.lines(notices), [
    "project/.holdfast/commands/two words.md: is ignored: the name before .md must be 1 to 64 letters, digits, _ or -, beginning with a letter or digit",
  ]);
});

test("M6: a command without a text and an agent that is defined twice are refused", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/.holdfast/commands/empty.md", "---\ndescription: x\n---\n \n");
  fixture.write(agent, "x");
  fixture.write("project/holdfast.jsonc", { agents: { reviewer: {} } });
  assert.deepEqual(await fixture.errors(), [
    `${agent}: the agent reviewer is also defined in project/holdfast.jsonc; remove one of them`,
    "project/.holdfast/commands/empty.md: has no text; the text of a command is its prompt",
  ]);
});

test("M6: a command for an unknown agent is refused, unless a broken file may define the agent", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/.holdfast/commands/lost.md", "---\nagent: reviever\n---\nx");
  fixture.write(agent, "x");
  assert.deepEqual(await fixture.errors(), [
    'project/.holdfast/commands/lost.md:2:8: commands.lost.agent: there is no agent reviever (available: default, reviewer); did you mean "reviewer"?',
  ]);
  fixture.write("project/holdfast.jsonc", "{");
  assert.deepEqual(await fixture.errors(), ["project/holdfast.jsonc:1:2: a closing } is missing"]);
});
