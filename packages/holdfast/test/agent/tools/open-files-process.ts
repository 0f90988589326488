import { closeSync, openSync } from "node:fs";
import { startAgent } from "../../../src/agent/hosted/agent-process.ts";
import { defaultMcpLimits } from "../../../src/agent/mcp/limits.ts";
import { createStdioWire } from "../../../src/agent/mcp/stdio-wire.ts";
import { runCommand } from "../../../src/agent/tools/run-command.ts";
import { reportSandbox } from "../../../src/agent/tools/sandbox/find-sandbox.ts";

// Tries to start processes while this process may open only one more file. Prints the results as JSON.

const command = [process.execPath, "--version"] as const;
const cwd = import.meta.dirname;
const inputs = [Buffer.from("text")];

const files: number[] = [];
try {
  for (;;) files.push(openSync("/dev/null", "r"));
} catch {
  // One file is enough to look at a process in /proc, and too few for its pipes.
  closeSync(files.pop() ?? -1);
}

const results = [
  await runCommand({
    command,
    directory: cwd,
    environment: {},
    signal: new AbortController().signal,
    timeout: 10_000,
    killAfter: 1_000,
    isOurs: null,
    onOutput: () => {},
    inputs,
    status: 4,
  }).then((end) => (end.kind === "notStarted" ? end.message : end.kind)),
  await failure(
    createStdioWire({
      config: { type: "stdio", command, cwd, env: {}, timeout: null },
      environment: {},
      limits: defaultMcpLimits,
      now: () => 0,
    }).transport.start(),
  ),
  await failure(
    startAgent({
      command,
      inputs,
      cwd,
      environment: {},
      asked: () => Promise.resolve(null),
      notified: () => {},
    }),
  ),
  await failure(reportSandbox()),
];
// Node emits the errors of the processes before the next turn of the event loop.
await new Promise(setImmediate);
for (const file of files) closeSync(file);
console.log(JSON.stringify({ results, sandbox: await failure(reportSandbox()) }));

async function failure(start: Promise<unknown>): Promise<string> {
  return start.then(
    () => "started",
    (error: unknown) => String(error),
  );
}
