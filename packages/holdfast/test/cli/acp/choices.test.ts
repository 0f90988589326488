import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import { configOptions, namedBy } from "../../../src/cli/acp/choices.ts";
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

test("an editor offers the models of a hosted agent, and a prompt names only those", () => {
  const hosted = {
    name: "stub",
    description: "",
    model: null,
    tools: null,
    isHosted: true,
    models: [{ id: "large", name: "Model large", description: "" }],
    modes: [],
    commands: [],
  };
  const workspace = { agent: "stub", agents: [hosted], model: "local/test" };
  const offer = { workspace, models: ["local/test"] };
  const chosen = { agent: null, model: "large" };
  const option = configOptions(offer, { chosen, mode: "ask" }).find(({ id }) => id === "model");
  assert.equal(option?.currentValue, "large");
  assert.deepEqual(option.options, [
    { value: "default", name: "Do not change the model" },
    { value: "large", name: "Model large" },
  ]);
  assert.deepEqual(namedBy(offer, chosen), chosen);
  assert.equal(namedBy(offer, { agent: null, model: "local/test" }).model, null);
});
