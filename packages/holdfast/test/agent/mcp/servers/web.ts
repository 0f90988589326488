import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

// A server at an address, with sessions that end with its process. Says its port when it listens.

const [, , port = "0", wanted = ""] = process.argv;
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
let next = 0;

function text(words: string) {
  return { content: [{ type: "text" as const, text: words }] };
}

function create(): McpServer {
  const server = new McpServer({ name: "web", version: "1.0.0" });
  server.registerTool("pid", {}, () => text(String(process.pid)));
  server.registerTool("giant", {}, () => text("g".repeat(20_000_000)));
  server.registerTool("wait", {}, async (context) => {
    console.log("waiting");
    await new Promise<void>((resolve) => {
      context.mcpReq.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    console.log("cancelled");
    return text("too late");
  });
  server.registerTool("flood", {}, async (context) => {
    const { _meta: meta, signal } = context.mcpReq;
    const progressToken = meta?.progressToken ?? 0;
    for (let progress = 1; !signal.aborted; progress += 1) {
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress },
      });
      if (progress % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return text("it was cut off");
  });
  return server;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (wanted !== "" && request.headers["x-key"] !== wanted) {
    response.writeHead(401).end("who are you?");
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const { method = "GET" } = request;
  const body = method === "POST" ? { body: Buffer.concat(chunks) } : {};
  const stop = new AbortController();
  response.once("close", () => stop.abort());
  const web = new Request(`http://localhost${request.url}`, { method, headers, ...body });
  const answer = await transportFor(headers.get("mcp-session-id"), response)?.handleRequest(web);
  if (answer === undefined) return;
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  for await (const chunk of answer.body ?? []) {
    if (!response.write(chunk) && !response.closed) await drained(response);
    if (response.closed) break;
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

function transportFor(
  sessionId: string | null,
  response: ServerResponse,
): WebStandardStreamableHTTPServerTransport | undefined {
  if (sessionId !== null) {
    const known = sessions.get(sessionId);
    if (known === undefined) response.writeHead(404).end("no such session");
    return known;
  }
  next += 1;
  const own = `${process.pid}-${next}`;
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => own });
  sessions.set(own, transport);
  create().connect(transport).catch(console.error);
  return transport;
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
