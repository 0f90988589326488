import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkspaceError } from "../../../src/workspace/loader.ts";
import { openConfigFixture } from "./config-fixture.ts";

const syntax: readonly (readonly [text: string, line: string])[] = [
  ["", "1:1: the file is empty; write {} for no settings"],
  ["  \n\n", "1:1: the file is empty; write {} for no settings"],
  ["[]", "1:1: must be an object: { … } around everything"],
  ['{\n  "model": "a/b"\n  "agent": "x"\n}', "3:3: a comma is missing before this value"],
  ['{\n  model: "a/b"\n}', "2:3: is not a value; names and strings must be in double quotes"],
  ["{ 'model': 1 }", "1:3: strings must be in double quotes"],
  ['{ "model": }', "1:12: a value is expected here"],
  ['{ "model" "a/b" }', "1:11: a colon is expected here, after the name"],
  ['{\n  "model": "a/b\n}', "2:12: this string has no closing quote on its line"],
  ['{ "model": "a/b"', "1:17: a closing } is missing"],
  ['{ "model": "a/b",\n', "2:1: a closing } is missing"],
  ['{ "a": "\\q" }', "1:8: has an invalid backslash; write \\\\ for a backslash"],
  ['{ "a": "\\u12" }', "1:8: this \\u is not followed by four hexadecimal digits"],
  ["{} x", "1:4: is not a value; names and strings must be in double quotes"],
  ["{} {}", "1:4: nothing may follow the closing }"],
  ["/* x", "1:1: this comment is not closed"],
  [`{"a":${"[".repeat(100_000)}`, "1:55: is nested more than 50 levels deep"],
  [
    '{\r\n  "limits": {},\r\n  "limits": {}\r\n}',
    "3:3: limits: is defined twice; remove one of them",
  ],
];

for (const [text, line] of syntax) {
  test(`M6: ${JSON.stringify(text).slice(0, 40)} is refused with its position`, async (t) => {
    const fixture = openConfigFixture(t);
    fixture.write("project/holdfast.jsonc", text);
    assert.deepEqual(await fixture.errors(), [`project/holdfast.jsonc:${line}`]);
  });
}

const names = "must be 1 to 64 letters, digits, _ or -, beginning with a letter or digit";
const time = 'must be a duration with a unit, such as "500ms", "30s", "5m" or "2h"';
const effects = '"allow", "ask", "deny"';

const values: readonly (readonly [text: string, ...lines: string[]])[] = [
  ['{"model": 5}', "1:11: model: must be a string in quotes, not a number"],
  ['{"model": "gpt-5"}', '1:11: model: must be "provider/model", such as "openai/gpt-5"'],
  ['{"model": null}', "1:11: model: must be a string in quotes, not null"],
  ['{"agents": []}', "1:12: agents: must be an object { … }, not a list"],
  ['{"agents": {"a b": {}}}', `1:13: agents["a b"]: the name ${names}`],
  [
    '{"agents": {"a": {"tools": "read"}}}',
    "1:28: agents.a.tools: must be a list [ … ], not a string",
  ],
  ['{"agents": {"a": {"prompt": ""}}}', "1:29: agents.a.prompt: must not be empty"],
  [
    '{"permissions": [{"action": "run", "pattern": "x", "effect": "alow"}]}',
    `1:62: permissions[0].effect: must be one of ${effects}, not "alow"; did you mean "allow"?`,
  ],
  [
    '{"permissions": [{"action": "run", "pattern": "x"}]}',
    `1:18: permissions[0].effect: is missing; it must be one of ${effects}`,
  ],
  [
    '{"permissions": [{"effect": true, "pattern": 1}]}',
    '1:18: permissions[0].action: is missing; it must be one of "read", "change", "run", "network", "fetch", "send", "mcp", "*"',
    `1:29: permissions[0].effect: must be one of ${effects}, not true`,
    "1:46: permissions[0].pattern: must be a string in quotes, not a number",
  ],
  [
    '{"limits": {"maxSteps": "20"}}',
    "1:25: limits.maxSteps: must be a number, not a string; write it without quotes",
  ],
  [
    '{"limits": {"maxSteps": 1.5}}',
    "1:25: limits.maxSteps: must be a whole number, not a number with a fraction",
  ],
  ['{"limits": {"maxSteps": 0}}', "1:25: limits.maxSteps: must be 1 or more"],
  ['{"limits": {"maxSteps": 1e6}}', "1:25: limits.maxSteps: must be 100000 or less"],
  ['{"limits": {"stopGrace": 5}}', `1:26: limits.stopGrace: ${time}`],
  ['{"limits": {"stopGrace": "5"}}', `1:26: limits.stopGrace: ${time}`],
  [
    '{"limits": {"shellTimeout": "577h"}}',
    "1:29: limits.shellTimeout: must be 576h (24 days) or less",
  ],
  ['{"limits": {"stopGrace": "11m"}}', "1:26: limits.stopGrace: must be 10m or less"],
  ['{"limits": {"stopGrace": "0s"}}', "1:26: limits.stopGrace: must be 1ms or more"],
  [
    '{"agent": "reviwer", "agents": {"reviewer": {}}}',
    '1:11: agent: there is no agent reviwer (available: default, reviewer); did you mean "reviewer"?',
  ],
  [
    '{"agent": "b", "agents": {"a": {}}}',
    "1:11: agent: there is no agent b (available: default, a)",
  ],
  [
    '{"mcp": {"a": {"command": "npx files"}}}',
    '1:27: mcp.a.command: must be a list of words, such as ["npx", "-y", "files"]',
  ],
  ['{"mcp": {"a": {"command": []}}}', "1:27: mcp.a.command[0]: is missing"],
  [
    '{"mcp": {"a": {"command": ["x", 5]}}}',
    "1:33: mcp.a.command[1]: must be a string in quotes, not a number",
  ],
  [
    '{"mcp": {"a": {"type": "sse"}}}',
    '1:24: mcp.a.type: must be one of "stdio", "http", not "sse"',
  ],
  [
    '{"mcp": {"a": {"timeout": "1s"}}}',
    '1:15: mcp.a: needs "command": [ … ] to start a program, or "url" to connect to a server',
  ],
  [
    '{"mcp": {"a": {"type": "stdio"}}}',
    '1:15: mcp.a: needs a program to start, such as "command": ["npx", "-y", "the-server"]',
  ],
  [
    '{"mcp": {"a": {"command": ["x"], "url": "http://a"}}}',
    '1:41: mcp.a.url: belongs to a server of type "http", not "stdio"',
  ],
  [
    '{"mcp": {"a": {"url": "http://a", "env": {"A": "1"}}}}',
    '1:42: mcp.a.env: belongs to a server of type "stdio", not "http"',
  ],
  [
    '{"mcp": {"a": {"url": "ftp://a"}}}',
    "1:23: mcp.a.url: must be an HTTP URL, such as http://localhost:8080/v1",
  ],
  [
    '{"mcp": {"a": {"url": "http://a", "headers": {"a b": "c", "d": "e\\nf"}}}}',
    '1:54: mcp.a.headers["a b"]: is not a valid header name',
    "1:64: mcp.a.headers.d: must be one line, without control characters",
  ],
  [
    '{"mcp": {"a": {"command": ["x"], "env": {"A=B": "c"}}}}',
    '1:49: mcp.a.env["A=B"]: is not a valid variable name',
  ],
  [
    '{"providers": {"acme": {}}}',
    '1:24: providers.acme: needs an address, such as "baseUrl": "http://localhost:8080/v1"',
  ],
  [
    '{"providers": {"my-ai": {"baseUrl": "http://a", "key": "sk-very-secret"}}}',
    "1:56: providers.my-ai.key: must be a reference such as {env:MY_AI_API_KEY} or {file:~/keys/my-ai}, not the key itself",
  ],
];

for (const [text, ...lines] of values) {
  test(`M6: ${text} is refused with its position, its key and a correct example`, async (t) => {
    const fixture = openConfigFixture(t);
    // Use the config of the user: in an untrusted project, settings that need trust are ignored.
    fixture.write("user/config.jsonc", text);
    assert.deepEqual(
      await fixture.errors(),
      lines.map((line) => `user/config.jsonc:${line}`),
    );
  });
}

test("M6: all errors in all files are reported at once", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", '{"limits": {"maxSteps": 0, "stopGrace": 1}, "model": 1}');
  fixture.write("project/holdfast.jsonc", "{");
  fixture.write("project/.holdfast/agents/a.md", "---\ntools: 5\n---\n");
  assert.deepEqual(await fixture.errors(), [
    "user/config.jsonc:1:25: limits.maxSteps: must be 1 or more",
    `user/config.jsonc:1:41: limits.stopGrace: ${time}`,
    "user/config.jsonc:1:54: model: must be a string in quotes, not a number",
    "project/holdfast.jsonc:1:2: a closing } is missing",
    "project/.holdfast/agents/a.md:2:8: tools: must be a list [ … ], not a number",
  ]);
});

const unknown: readonly (readonly [text: string, line: string])[] = [
  ['{"modle": "a/b"}', '1:2: modle: is unknown and has no effect; did you mean "model"?'],
  ['{"MCP": {}}', '1:2: MCP: is unknown and has no effect; did you mean "mcp"?'],
  ['{"mcpServers": {}}', '1:2: mcpServers: is unknown and has no effect; did you mean "mcp"?'],
  [
    '{"permission": []}',
    '1:2: permission: is unknown and has no effect; did you mean "permissions"?',
  ],
  ['{"agents": {"__proto__": {}}}', "1:13: agents.__proto__: is unknown and has no effect"],
  ['{"theme": "dark"}', "1:2: theme: is unknown and has no effect"],
  [
    '{"limits": {"budget": {"dollars": 3, "tokns": 5}}}',
    "1:24: limits.budget.dollars: is unknown and has no effect",
  ],
  ['{"\\u001b[31m": 1}', '1:2: ["\\u001b[31m"]: is unknown and has no effect'],
];

for (const [text, line] of unknown) {
  test(`${text} causes a warning with the probable correction`, async (t) => {
    const fixture = openConfigFixture(t);
    fixture.write("project/holdfast.jsonc", text);
    const [first] = await fixture.warnings();
    assert.equal(first, `project/holdfast.jsonc:${line}`);
  });
}

test("an unknown key affects nothing else", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/holdfast.jsonc", {
    agent: "a",
    agents: { a: { promt: "x", prompt: "y" } },
    __proto__x: {},
  });
  const { config, notices } = await fixture.read();
  assert.equal(config.agent, "a");
  assert.equal(config.agents.get("a")?.prompt, "y");
  assert.deepEqual(fixture.lines(notices), [
    'project/holdfast.jsonc:1:29: agents.a.promt: is unknown and has no effect; did you mean "prompt"?',
    "project/holdfast.jsonc:1:56: __proto__x: is unknown and has no effect",
  ]);
});

test("warnings and errors are reported together", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", '{ "modle": "a/b" }');
  fixture.write("project/holdfast.jsonc", '{ "agents": { "a": { "promt": "x", "model": 5 } } }');
  const error = await fixture.read().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof WorkspaceError);
  assert.deepEqual(
    error.notices.map(({ severity, key }) => `${severity}: ${key}`),
    ["warning: modle", "error: agents.a.model", "warning: agents.a.promt"],
  );
  assert.match(error.message, /^[^\n]*agents\.a\.model: [^\n]*$/);
});

test("a config file with a wrong name is reported", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/holdfast.json", "{}");
  fixture.write("project/.holdfast/holdfast.jsonc", "{}");
  fixture.write("user/holdfast.jsonc", "{}");
  const warnings = await fixture.warnings();
  assert.deepEqual(warnings, [
    "user/holdfast.jsonc: this file is ignored; rename it to user/config.jsonc",
    "project/holdfast.json: this file is ignored; rename it to project/holdfast.jsonc",
    "project/.holdfast/holdfast.jsonc: this file is ignored; rename it to project/holdfast.jsonc",
  ]);
});
