import { appendFileSync, existsSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { waitFor } from "../../support/wait-for.ts";

// An MCP server that writes its pid to the given file, so that the test knows every process. With
// `hang` it never answers; with `break` it exits at once.

const [, , diary = "", mode = "serve"] = process.argv;
appendFileSync(diary, `${process.pid}\n`);

function create(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool(
    "wait_for",
    { description: "Waits for a file.", inputSchema: z.object({ file: z.string() }) },
    async ({ file }) => {
      await waitFor(() => existsSync(file), { describe: `the file ${file}`, limit: 60_000 });
      return { content: [{ type: "text", text: "it is there" }] };
    },
  );
  return server;
}

if (mode === "break") {
  console.error("no notes today");
  process.exitCode = 1;
} else if (mode === "hang") process.stdin.resume();
else serveStdio(create);
