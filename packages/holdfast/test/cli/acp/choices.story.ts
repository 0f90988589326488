import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { connect } from "@holdfast/sdk";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import { listen } from "../../../src/server/listen.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openModelCli } from "../model-cli.ts";
import { openCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import { isChoice, modeOption, modes } from "./session-options.ts";
import type { Opened } from "./session-options.ts";

const agents = {
  planner: { description: "Plans", prompt: "Only make plans.", model: "local/thinker" },
};
const planned = [
  { value: "default", name: "default" },
  { value: "planner", name: "planner", description: "Plans" },
];
const agentOption = (currentValue: string): object => ({
  type: "select",
  id: "agent",
  name: "Agent",
  description: "Agent for the next prompts",
  category: "_agent",
  currentValue,
  options: planned,
});
const modelOption = (
  currentValue: string,
  offered: { usual: string; models: readonly string[] },
): object => ({
  type: "select",
  id: "model",
  name: "Model",
  description: "Model for the next prompts",
  category: "model",
  currentValue,
  options: [
    { value: "default", name: `Default (${offered.usual})` },
    ...offered.models.map((value) => ({ value, name: value })),
  ],
});
const models = ["local/test", "local/thinker"];

test("an editor chooses the agent and model of its prompts, and prompts of others are not affected", async (t) => {
  const cli = await openModelCli(t, () => says("Done."));
  const { folder } = cli;
  const baseUrl = cli.server.addresses.openaiChat;
  const local = { protocol: "compatible", baseUrl, models: { test: { context: 54_321 } } };
  const providers = { local };
  writeFileSync(join(folder, "holdfast.jsonc"), JSON.stringify({ agents, providers }));
  // An agent's model is used only in a trusted project.
  await cli.run("trust", "--yes");
  const { url, token } = await cli.serve();
  const editor = await openEditor(t, { folder });
  const line = editor.nextLine();
  const { sessionId, ...offered } = await editor.request<Opened>("session/new", {
    cwd: folder,
    mcpServers: [],
  });
  // No update is sent for a session before the editor knows it.
  assert.match(await line, /"result":\{"sessionId"/);
  assert.deepEqual(offered, {
    configOptions: [
      modeOption("ask"),
      agentOption("default"),
      modelOption("default", { usual: "local/test", models }),
    ],
    modes: modes("ask"),
  });
  const holdfast = connect({ url, token });
  const session = holdfast.session(sessionId);
  const set = (configId: string, value: string): Promise<unknown> =>
    editor.request("session/set_config_option", { sessionId, configId, value });

  await editor.prompt(sessionId, "one");
  // The size comes from the config: the catalogue does not know this model.
  const usage = editor
    .updatesOf(sessionId)
    .find(({ sessionUpdate }) => sessionUpdate === "usage_update");
  assert.equal(usage?.size, 54_321);
  const ofPlanner = [
    modeOption("ask"),
    agentOption("planner"),
    modelOption("default", { usual: "local/thinker", models }),
  ];
  assert.deepEqual(await set("agent", "planner"), { configOptions: ofPlanner });
  await editor.prompt(sessionId, "two");
  const withTest = [
    modeOption("ask"),
    agentOption("planner"),
    modelOption("local/test", { usual: "local/thinker", models }),
  ];
  assert.deepEqual(await set("model", "local/test"), { configOptions: withTest });
  await editor.prompt(sessionId, "three");
  await (await session.prompt("four")).settled();
  // The choice belongs to the editor and is restored when it opens the session again.
  const again = await editor.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  assert.deepEqual(again, { configOptions: withTest, modes: modes("ask") });
  await set("agent", "default");
  await set("model", "default");
  await editor.prompt(sessionId, "five");

  const { items } = await session.prompts();
  assert.deepEqual(
    items.map(({ text, agent, model }) => [text, agent, model]),
    [
      ["one", undefined, undefined],
      ["two", "planner", undefined],
      ["three", "planner", "local/test"],
      ["four", undefined, undefined],
      ["five", undefined, undefined],
    ],
  );
  const used = cli.server.calls.filter(({ tools }) => tools.length > 0);
  assert.deepEqual(
    used.map(({ model, system }) => [model, system.includes("Only make plans.")]),
    [
      ["test", false],
      ["thinker", true],
      ["test", true],
      ["test", false],
      ["test", false],
    ],
  );
  await assert.rejects(set("agent", "nobody"), /no agent nobody; available: default, planner/);
  await assert.rejects(set("effort", "high"), /no setting effort; available: mode, agent, model/);
  const elsewhere = { sessionId: "unknown", configId: "agent", value: "planner" };
  await assert.rejects(
    editor.request("session/set_config_option", elsewhere),
    /session unknown is not open here/,
  );

  // Without a choice of the editor, the agent of the session answers, and the editor shows it.
  await session.setAgent("planner");
  await waitFor(() => editor.updatesOf(sessionId).findLast(isChoice)?.configOptions?.[1], {
    describe: "the agent of the session in the editor",
    until: (option) => isDeepStrictEqual(option, agentOption("planner")),
  });
  await editor.prompt(sessionId, "five and a half");
  assert.ok(cli.server.calls.at(-1)?.system.includes("Only make plans."));
  await set("agent", "default");
  await editor.prompt(sessionId, "almost six");
  assert.ok(!cli.server.calls.at(-1)?.system.includes("Only make plans."));
  assert.deepEqual(
    (await session.prompts()).items.slice(-2).map(({ agent }) => agent),
    [undefined, "default"],
  );
  await session.setAgent(null);
  await set("agent", "planner");
  await set("agent", "default");

  // The agent was removed from the config, so the choice is dropped.
  await set("agent", "planner");
  writeFileSync(join(folder, "holdfast.jsonc"), "{}");
  await holdfast.maintenance.refresh([folder]);
  await assert.rejects(editor.prompt(sessionId, "six"), /planner/);
  await editor.until(sessionId, ({ configOptions }) => configOptions?.length === 2);
  await editor.prompt(sessionId, "seven");
  const ends = (await session.prompts()).items.slice(-2);
  assert.deepEqual(
    ends.map(({ text, agent }) => [text, agent]),
    [
      ["six", "planner"],
      ["seven", undefined],
    ],
  );
});

test("models of a slow provider are sent to the editor when they arrive", async (t) => {
  const asked = Promise.withResolvers<void>();
  const provider = createServer((_, response) => {
    void asked.promise.then(() => response.end('{"data":[{"id":"big"},{"id":"small"}]}'));
  });
  const port = await listen(provider, { host: "127.0.0.1", port: 0 });
  t.after(() => provider.close());
  const cli = openCli(t, {
    HOLDFAST_BASE_URL: `http://127.0.0.1:${port}/v1`,
    HOLDFAST_MODEL: "local/big",
  });
  const { folder } = cli;
  await cli.serve();
  const editor = await openEditor(t, { folder });
  const place = { cwd: folder, mcpServers: [] };
  const { sessionId, ...first } = await editor.request<Opened>("session/new", place);
  const usual = "local/big";
  assert.deepEqual(first, {
    configOptions: [modeOption("ask"), modelOption("default", { usual, models: ["local/big"] })],
    modes: modes("ask"),
  });
  asked.resolve();
  const listed = modelOption("default", { usual, models: ["local/big", "local/small"] });
  const all = [modeOption("ask"), listed];
  assert.deepEqual(await editor.until(sessionId, isChoice), {
    sessionUpdate: "config_option_update",
    configOptions: all,
  });
  const { configOptions } = await editor.request<Opened>("session/new", place);
  assert.deepEqual(configOptions, all);
});
