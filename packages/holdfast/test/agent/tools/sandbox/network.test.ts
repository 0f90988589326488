import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { createShellTool } from "../../../../src/agent/tools/shell.ts";
import { needsSandbox } from "../../../support/needs-sandbox.ts";
import { workbench } from "../workbench.ts";

test(
  "only a command that requests network access has it, unless the config gives it to all",
  needsSandbox,
  async (t) => {
    const server = createServer((socket) => socket.end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const { use, context } = workbench(t);
    const command = `(echo > /dev/tcp/127.0.0.1/${address.port}) 2>/dev/null && echo up || echo down`;
    const outputs: string[] = [];
    for (const network of [undefined, false, true]) {
      const request = network === undefined ? { command } : { command, network };
      outputs.push((await use(createShellTool(), request)).output);
    }
    const { settings } = context;
    const open = { ...settings, shell: { ...settings.shell, network: true } };
    outputs.push((await use(createShellTool(), { command }, { settings: open })).output);
    assert.deepEqual(outputs, ["down", "down", "up", "up"]);
  },
);

test("network access needs its own permission", async (t) => {
  const { context } = workbench(t);
  const tool = createShellTool();
  const asked = async (network: boolean): Promise<string | undefined> =>
    (await tool.permission({ command: "npm install", network }, context))?.action;
  assert.deepEqual([await asked(false), await asked(true)], ["run", "network"]);
});

test("the permission request for a command says that there is no sandbox", async (t) => {
  const { context } = workbench(t);
  const { settings } = context;
  const withSetting = (sandbox: "auto" | "off" | "required"): typeof context => ({
    ...context,
    settings: { ...settings, shell: { ...settings.shell, sandbox } },
  });
  const none = createShellTool({ findSandbox: async () => null });
  const some = createShellTool({
    findSandbox: async () => ({ name: "any", wrap: () => assert.fail("nothing is run here") }),
  });
  const warning = async (tool: typeof none, sandbox: "auto" | "off"): Promise<unknown> =>
    (await tool.permission({ command: "true" }, withSetting(sandbox)))?.warning;
  const rest = "the command can read, change and send everything that your user account can.";
  assert.deepEqual(
    [await warning(none, "auto"), await warning(some, "off"), await warning(some, "auto")],
    [
      `This machine has no sandbox: ${rest}`,
      `The sandbox is turned off in the config: ${rest}`,
      undefined,
    ],
  );
});
