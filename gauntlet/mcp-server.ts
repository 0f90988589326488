import { createInterface } from "node:readline";

// An MCP server over stdio for the scenario "crashing MCP server". Its tool "crash" ends the process, and its tool
// "echo" answers. The server uses no SDK, so that the gauntlet needs no dependencies.

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

const tools = ["echo", "crash"].map((name) => ({
  name,
  description: `The ${name} tool of the test server`,
  inputSchema: { type: "object" },
}));

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function resultOf({ method, params = {} }: Request): object | null {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion ?? "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "rough", version: "0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools };
    case "tools/call":
      if (params.name === "crash") process.exit(7);
      return { content: [{ type: "text", text: `echo from rough ${process.pid}` }] };
    default:
      return null;
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request: Request = JSON.parse(line);
  const { id } = request;
  if (id === undefined) return;
  const result = resultOf(request);
  if (result !== null) write({ id, result });
  else write({ id, error: { code: -32_601, message: `unknown method ${request.method}` } });
});
