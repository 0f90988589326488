import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { mcpTools, toolNames } from "../../../src/agent/mcp/names.ts";
import { mcpBench } from "./bench.ts";

test("of 10,000 tools only the first are used, and people get a warning", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("rough.ts", "many"));
  const { tools, problem } = server.status();
  assert.deepEqual(
    [tools.length, tools.at(-1)?.name, problem],
    [100, "box_tool99", "the server has too many tools: only the first 100 are available"],
  );
});

test("tool definitions above the size limit are left out, and the warning names this limit", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("rough.ts", "large"));
  const { tools, problem } = server.status();
  assert.deepEqual(
    [tools.length, tools.at(-1)?.name, problem],
    [
      21,
      "box_tool20",
      "the tool definitions of the server have more than 400,000 characters: only the first 21 tools are available. Configure the server to offer fewer tools, or shorten their descriptions and schemas",
    ],
  );
});

test("reading an endless or invalid list is stopped", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("rough.ts", "circle"));
  assert.deepEqual(server.tools(), []);
  await assert.rejects(open(config("rough.ts", "notList")), {
    message: /^Invalid result for tools\/list: /,
  });
});

test("a server that cannot list its prompts and resources still has its tools", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("rough.ts", "boastful"));
  const { tools, prompts, resources, problem } = server.status();
  assert.deepEqual(
    [tools.length, prompts, resources, problem],
    [
      11,
      [],
      0,
      "the server cannot list its prompts: no such thing; the server cannot list its resources: no such thing",
    ],
  );
});

test("hostile names, texts and schemas are made harmless and do not affect other tools", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts", "hostile"));
  const anything = { type: "object", properties: {}, additionalProperties: true };
  const nothing = { type: "object", properties: {} };
  const tools = server
    .tools()
    .map(({ name, description, schema }) => [
      name,
      description.length > 100 ? description.length : description,
      schema,
    ]);
  const longName = toolNames("box", "x".repeat(500));
  const badName = toolNames("box", "bad \u0000\u001b[31m/../name");
  assert.match(badName.name, /^box_bad_31m_name_[\da-f]{8}$/);
  assert.match(longName.name, /^box_x{39}_[\da-f]{8}$/);
  assert.deepEqual(tools, [
    ["box_fine", about("fine"), { type: "object", properties: { a: { type: "string" } } }],
    [badName.name, "red  [31m ", nothing],
    [longName.name, about(longName.part), nothing],
    ["box_wordy", 4_001, nothing],
    ["box_none", about("none"), anything],
    ["box_text", about("text"), anything],
    ["box_wrongType", about("wrongType"), anything],
    ["box_list", about("list"), anything],
    ["box_deep", about("deep"), anything],
    ["box_long", about("long"), anything],
  ]);
  // The server gets the tool name that it sent.
  assert.equal((await call(server, badName.part)).status, "completed");
});

test("names fit every provider, stay the same and are unique", async (t) => {
  const { config, open } = mcpBench(t);
  assert.deepEqual(
    [
      toolNames("files", "read").name,
      toolNames("files", "read-file_2").name,
      toolNames("9 lives", "read").name.replace(/[\da-f]{8}/, "#"),
      toolNames("s".repeat(60), "t".repeat(48)).name.length,
      toolNames("files", "").name.replace(/[\da-f]{8}/, "#"),
    ],
    ["files_read", "files_read-file_2", "_9_lives_#_read", 64, "files__#"],
  );
  const [one, other] = await Promise.all([
    open(config("rough.ts", "", "one"), { name: "a" }),
    open(config("rough.ts", "", "other"), { name: "list_mcp" }),
  ]);
  const names = mcpTools([one, other], ["a_echo", "a_crash"]).map(({ name }) => name);
  assert.equal(new Set(names).size, 22);
  assert.deepEqual(names.includes("a_echo") || names.includes("a_crash"), false);
  assert.match(names[0] ?? "", /^a_echo_[\da-f]{8}$/);
});

test("M1 a changed list is a new version, once for each change", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts"));
  const versions = [server.version()];
  server.onChange(() => versions.push(server.version()));
  const before = server.tools();
  await call(server, "change");
  await waitFor(() => versions.length, { describe: "two versions", until: (count) => count === 2 });
  assert.ok(server.tools().some(({ name }) => name === "box_round1"));
  assert.notEqual(versions[0], versions[1]);
  // A run that has the previous tools continues with them.
  assert.equal(before.length, 11);
  assert.equal((await call(server, "echo")).status, "completed");
});

test("a list that changes all the time is read less and less often", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts", "flapping"), { limits: { changeDelay: 4 } });
  let changes = 0;
  server.onChange(() => (changes += 1));
  const round = (): number =>
    Number(/round(\d+)/.exec(server.tools().at(-1)?.name ?? "")?.[1] ?? 0);
  await waitFor(() => round(), { describe: "100 rounds", until: (count) => count >= 100 });
  // The interval doubles after each check.
  assert.ok(changes <= 9, `${changes} changes in ${round()} rounds`);
  assert.equal((await call(server, "echo")).status, "completed");
});

function about(part: string): string {
  return `The tool ${part} of the MCP server box.`;
}
