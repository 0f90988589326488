import { join } from "node:path";
import { mcpPlan } from "../../../../src/agent/mcp/server.ts";

// A program with a server that does not want to end. It exits at once, or waits to be killed.

const command = [process.execPath, join(import.meta.dirname, "rough.ts"), "stubborn"] as const;
const config = {
  type: "stdio",
  command: [...command],
  env: {},
  cwd: import.meta.dirname,
  timeout: null,
} as const;
const ports = { environment: process.env, version: "0.0.0", directory: import.meta.dirname };
await mcpPlan("box", config, ports).open(new AbortController().signal, null);
console.log("open");
if (process.argv[2] === "exit") process.exit();
setInterval(() => {}, 1_000);
