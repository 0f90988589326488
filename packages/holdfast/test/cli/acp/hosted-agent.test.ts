import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import { openWithStub } from "../stub-cli.ts";
import { openEditor } from "./editor.ts";
import type { Opened } from "./session-options.ts";

test("an editor gets the models, modes and commands of a hosted agent when it runs, and sends its choices", async (t) => {
  const cli = openWithStub(t, { mode: "offers" });
  const { folder } = cli;
  const holdfast = connect(await cli.serve());
  const editor = await openEditor(t, { folder });
  const { sessionId, configOptions = [] } = await editor.request<Opened>("session/new", {
    cwd: folder,
    mcpServers: [],
  });
  const session = holdfast.session(sessionId);
  const commands = (names: readonly string[]): Promise<unknown> =>
    waitFor(() => editor.commandsOf(sessionId)?.join(), {
      describe: `the commands ${names.join()}`,
      until: (sent) => sent === names.join(),
    });
  const options = (): Opened["configOptions"] =>
    editor.updatesOf(sessionId).findLast(({ configOptions: sent }) => sent !== undefined)
      ?.configOptions;
  const set = async (configId: string, value: string): Promise<string> => {
    const wanted = { sessionId, configId, value };
    const { configOptions: now = [] } = await editor.request<Opened>(
      "session/set_config_option",
      wanted,
    );
    return now.map(({ id, currentValue }) => `${id} ${currentValue}`).join(", ");
  };
  assert.deepEqual(
    configOptions.map(({ id }) => id),
    ["mode", "agent"],
  );
  await commands(["compact"]);

  // The agent reports its choices before its first answer. The editor gets them during the turn.
  assert.equal(await set("agent", "stub"), "mode ask, agent stub");
  const first = editor.prompt(sessionId, "say Hello.\nwait go");
  await commands(["compact", "review"]);
  assert.equal(
    options()
      ?.map(({ id, currentValue }) => `${id} ${currentValue}`)
      .join(", "),
    "mode ask, agent stub, model unchanged, agentMode unchanged",
  );
  editor.notify("session/cancel", { sessionId });
  assert.deepEqual(await first, { stopReason: "cancelled" });

  assert.equal(
    await set("model", "large"),
    "mode ask, agent stub, model large, agentMode unchanged",
  );
  assert.equal(await set("agentMode", "yolo"), "mode ask, agent stub, model large, agentMode yolo");
  await editor.prompt(sessionId, "/review it");
  const last = (await session.prompts()).items.at(-1);
  assert.deepEqual(
    [last?.text, last?.agent, last?.model, last?.agentMode],
    ["/review it", "stub", "large", "yolo"],
  );
  assert.equal((await session.get()).mode ?? "ask", "ask", "the permission mode is another one");

  // The agent's own report of its context reaches the editor.
  await editor.prompt(sessionId, 'usage {"used":40,"size":100}\nsay Hello.');
  const usage = await editor.until(sessionId, ({ size }) => size === 100);
  assert.deepEqual(usage, { sessionUpdate: "usage_update", used: 40, size: 100 });

  // A prompt of another client to the same agent, which reports other commands then.
  await (await session.prompt("commands review,ship", { agent: "stub" })).settled();
  await commands(["compact", "review", "ship"]);

  // The commands follow the agent of the next prompts, whoever chooses it.
  assert.equal(await set("agent", "default"), "mode ask, agent default");
  await commands(["compact"]);
  await session.setAgent("stub");
  await commands(["compact", "review", "ship"]);
  assert.equal(options()?.find(({ id }) => id === "agentMode")?.currentValue, "yolo");
  await assert.rejects(
    set("agentMode", "sleep"),
    /no agentMode sleep; available: unchanged, default, plan, yolo/,
  );
});
