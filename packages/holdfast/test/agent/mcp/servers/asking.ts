import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

// A server that asks its client: for input, for a model call, for its roots.

function text(words: unknown) {
  const shown = typeof words === "string" ? words : JSON.stringify(words);
  return { content: [{ type: "text" as const, text: shown }] };
}

const form = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, description: "Your name" },
    age: { type: "integer" as const, default: 30, minimum: 1 },
    color: { type: "string" as const, enum: ["red", "blue"], default: "blue" },
  },
  required: ["name"],
};

function create(): McpServer {
  const server = new McpServer(
    { name: "asking", version: "1.0.0" },
    { instructions: "Use `form` for people.\u0007 ".repeat(400) },
  );
  server.registerTool("form", { annotations: { readOnlyHint: true } }, async (context) =>
    text(await context.mcpReq.elicitInput({ message: "Who are you?", requestedSchema: form })),
  );
  for (const [tool, url] of [
    ["visit", "https://accounts.example.org/start?x=1"],
    ["trap", "javascript:alert(1)"],
  ] as const) {
    server.registerTool(tool, {}, async (context) =>
      text(
        await context.mcpReq.elicitInput({
          mode: "url",
          message: "Please sign in.",
          url,
          elicitationId: "e1",
        }),
      ),
    );
  }
  server.registerTool("formThenSilence", {}, async (context) => {
    await context.mcpReq.elicitInput({ message: "Who are you?", requestedSchema: form });
    return new Promise(() => {});
  });
  server.registerTool("sampleOften", {}, async (context) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
    for (let count = 1; ; count += 1) {
      try {
        await context.mcpReq.requestSampling({ messages, maxTokens: 1 });
      } catch (error) {
        return text(`request ${count}: ${String(error)}`);
      }
    }
  });
  server.registerTool("roots", {}, async () => text(await server.server.listRoots()));
  server.registerTool("sample", {}, async (context) =>
    text(
      await context.mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: "What is 1 + 1?" } }],
        maxTokens: 100_000,
      }),
    ),
  );
  server.registerTool("both", { outputSchema: z.object({ sum: z.number() }) }, () => ({
    content: [{ type: "text", text: "The sum is three." }],
    structuredContent: { sum: 3 },
  }));
  server.registerTool("twice", { outputSchema: z.object({ sum: z.number() }) }, () => ({
    content: [{ type: "text", text: '{"sum": 3}' }],
    structuredContent: { sum: 3 },
  }));
  server.registerResource("first", "note://1", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "the first note" }],
  }));
  server.registerResource(
    "any note",
    new ResourceTemplate("note://{id}", { list: undefined }),
    {},
    (uri) => ({ contents: [{ uri: uri.href, text: `note ${uri.href}` }] }),
  );
  return server;
}

serveStdio(create, { legacy: process.argv[2] === "new" ? "reject" : "serve" });
