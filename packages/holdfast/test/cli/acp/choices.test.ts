import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import {
  choose,
  commandsOf,
  configOptions,
  namedBy,
  nothingChosen,
} from "../../../src/cli/acp/choices.ts";
import type { Chosen } from "../../../src/cli/acp/choices.ts";
import { openModelCli } from "../model-cli.ts";
import { openEditor } from "./editor.ts";
import { isChoice, modes } from "./session-options.ts";
import type { Opened } from "./session-options.ts";

test("an editor sets the mode of a session, sees the mode that others set, and plan mode is enforced", async (t) => {
  const cli = await openModelCli(t, ({ messages }) =>
    messages.at(-1)?.role === "user"
      ? asks({ name: "write", input: { path: "new.txt", content: "x" } })
      : says("Done."),
  );
  const { folder } = cli;
  const holdfast = connect(await cli.serve());
  const editor = await openEditor(t, { folder });
  const { sessionId } = await editor.request<Opened>("session/new", {
    cwd: folder,
    mcpServers: [],
  });
  const session = holdfast.session(sessionId);
  await editor.request("session/set_mode", { sessionId, modeId: "plan" });
  assert.equal((await session.get()).mode, "plan");
  await editor.prompt(sessionId, "write it");
  assert.throws(() => readFileSync(join(folder, "new.txt")));
  await session.setMode("acceptEdits");
  await editor.until(sessionId, ({ currentModeId }) => currentModeId === "acceptEdits");
  await editor.prompt(sessionId, "write it");
  assert.equal(readFileSync(join(folder, "new.txt"), "utf8"), "x");
  assert.deepEqual(
    editor
      .updatesOf(sessionId)
      .filter(isChoice)
      .flatMap(({ currentModeId }) => currentModeId ?? []),
    ["plan", "acceptEdits"],
  );
  const reopened = await editor.request<Opened>("session/load", {
    sessionId,
    cwd: folder,
    mcpServers: [],
  });
  assert.deepEqual(reopened.modes, modes("acceptEdits"));
  await assert.rejects(
    editor.request("session/set_mode", { sessionId, modeId: "any" }),
    /no mode any; available: ask, acceptEdits, plan/,
  );
});

const choice = (id: string): { id: string; name: string; description: string } => ({
  id,
  name: `The ${id}`,
  description: "",
});
const hosted = {
  name: "stub",
  description: "",
  model: null,
  tools: null,
  isHosted: true,
  models: [choice("large")],
  modes: [choice("unchanged"), choice("plan")],
  commands: ["review", "compact", "init"].map((name) => ({ name, description: "of the stub" })),
};
const ours = { ...hosted, name: "default", isHosted: false, models: [], modes: [], commands: [] };
const commands = [
  { name: "init", description: "of the directory", source: "commands/init.md" },
  { name: "compact", description: "of Holdfast", source: "Holdfast" },
];
const offer = {
  workspace: { agent: "stub", agents: [hosted, ours], model: "local/test", commands },
  models: ["local/test"],
};

test("an editor offers the models and modes of a hosted agent, and a prompt names only those", () => {
  const chosen = { ...nothingChosen, agentModel: "large", agentMode: "plan" };
  const [, , model, mode] = configOptions(offer, { chosen, mode: "ask" });
  assert.deepEqual(
    [model, mode].map((option) => [option?.id, option?.category, option?.currentValue]),
    [
      ["model", "model", "large"],
      ["agentMode", "_agent_mode", "plan"],
    ],
  );
  assert.deepEqual(model?.options, [
    { value: "unchanged", name: "Do not change the model" },
    { value: "large", name: "The large" },
  ]);
  // The value that changes nothing is not the id of a mode.
  assert.deepEqual(mode?.options, [
    { value: "unchanged_", name: "Do not change the mode" },
    { value: "unchanged", name: "The unchanged" },
    { value: "plan", name: "The plan" },
  ]);
  assert.deepEqual(namedBy(offer, chosen), { model: "large", agentMode: "plan" });
  const removed = { ...chosen, agentModel: "huge", agentMode: "yolo" };
  assert.deepEqual(namedBy(offer, removed), {});
});

test("models and modes of a hosted agent are kept apart from the models of Holdfast's own agent", () => {
  const set = (chosen: Chosen, configId: string, value: string): Chosen =>
    choose(offer, chosen, { configId, value });
  const large = set(set(nothingChosen, "model", "large"), "agentMode", "unchanged");
  const own = set(set(large, "agent", "default"), "model", "local/test");
  assert.deepEqual(namedBy(offer, own), { agent: "default", model: "local/test" });
  assert.deepEqual(
    configOptions(offer, { chosen: own, mode: "ask" }).map(({ id }) => id),
    ["mode", "agent", "model"],
  );
  const again = set(own, "agent", "stub");
  assert.deepEqual(namedBy(offer, again), { model: "large", agentMode: "unchanged" });
  const cleared = set(set(again, "model", "unchanged"), "agentMode", "unchanged_");
  assert.deepEqual(namedBy(offer, cleared), {});
});

test("commands of a hosted agent are added, and each name is listed as the server uses it", () => {
  assert.deepEqual(commandsOf(offer, nothingChosen), [
    { name: "init", description: "of the directory" },
    { name: "review", description: "of the stub" },
    { name: "compact", description: "of the stub" },
  ]);
  assert.deepEqual(commandsOf(offer, { ...nothingChosen, agent: "default" }), [
    { name: "init", description: "of the directory" },
    { name: "compact", description: "of Holdfast" },
  ]);
});
