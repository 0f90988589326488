import { findSandbox } from "../../../../src/agent/tools/sandbox/find-sandbox.ts";
import type { Sandbox } from "../../../../src/agent/tools/sandbox/sandbox.ts";
import { createShellTool } from "../../../../src/agent/tools/shell.ts";
import { defaultToolSettings } from "../../../../src/agent/tools/tool.ts";

// A program that runs a command in a directory until it is killed. Its sandbox has not set its death signal, as if it
// were still starting.

const [directory = ""] = process.argv.slice(2);

const found = await findSandbox();
if (found === null) throw new Error("this machine has no sandbox that works");
const sandbox: Sandbox = {
  name: found.name,
  wrap: (view) => {
    const { command, ...rest } = found.wrap(view);
    return { ...rest, command: command.filter((word) => word !== "--die-with-parent") };
  },
};
const unexpected = (): never => {
  throw new Error("this program has nobody to ask");
};
await createShellTool({ findSandbox: async () => sandbox }).run(
  { command: "env; sleep 1000" },
  {
    directory,
    sessionId: "s1",
    runId: "r1",
    callId: "c1",
    signal: new AbortController().signal,
    mayAct: () => true,
    settings: defaultToolSettings,
    progress: (text) => process.stdout.write(text),
    seen: () => null,
    mayRead: () => true,
    agent: { ask: unexpected, child: unexpected, background: unexpected },
  },
);
