import { spawn } from "node:child_process";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

// A server as its makers would write one. With `new` as its argument it knows only the newest protocol.

function text(words: string) {
  return { content: [{ type: "text" as const, text: words }] };
}

function create(): McpServer {
  const server = new McpServer({ name: "good", version: "1.2.3" });
  server.registerTool(
    "echo",
    {
      description: "Says it again.",
      inputSchema: z.object({ words: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ words }) => text(words),
  );
  server.registerTool(
    "add",
    {
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  );
  server.registerTool("refuse", {}, () => ({ ...text("not today"), isError: true }));
  server.registerTool("picture", {}, () => ({
    content: [
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "note://1", name: "first" },
      { type: "resource", resource: { uri: "note://2", text: "inside" } },
    ],
  }));
  server.registerTool("environment", {}, () => text(Object.keys(process.env).toSorted().join(" ")));
  server.registerTool("steps", {}, async (context) => {
    const { _meta: meta } = context.mcpReq;
    const progressToken = meta?.progressToken ?? 0;
    for (const progress of [1, 2]) {
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 2, message: `step ${progress}` },
      });
    }
    return text("done");
  });
  server.registerTool("wait", {}, async (context) => {
    console.error("waiting");
    await new Promise<void>((resolve) => {
      context.mcpReq.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    console.error(`cancelled: ${String(context.mcpReq.signal.reason)}`);
    return text("too late");
  });
  server.registerTool("helper", {}, () => {
    // A process that leaves the group and holds the pipes.
    const helper = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
    return text(String(helper.pid));
  });
  server.registerTool("grow", {}, () => {
    server.registerTool("grown", {}, () => text("new"));
    return text("there is one more");
  });
  server.registerPrompt(
    "greet",
    {
      description: "A greeting.",
      argsSchema: z.object({ name: z.string(), how: z.string().optional() }),
    },
    ({ name, how = "kindly" }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${name} ${how}.` } }],
    }),
  );
  server.registerResource("first", "note://1", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "the first note" }],
  }));
  return server;
}

serveStdio(create, { legacy: process.argv[2] === "new" ? "reject" : "serve" });
