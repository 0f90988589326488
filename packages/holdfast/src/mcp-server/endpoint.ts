import { connect } from "@holdfast/sdk";
import type { TaskPort } from "./agent-task.ts";

/** An HTTP request from an MCP client. */
export interface McpCall {
  readonly request: Request;
  readonly body: unknown;
  /** Sends a request to the API of the same server. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Starts tasks for the hosted agent that sent the request. Missing: the client is not a hosted agent. */
  readonly tasks?: TaskPort | undefined;
}

/**
 * Answers MCP clients over HTTP, without state between requests. The tools call the API with the client's own token, so
 * all checks of the API apply.
 */
export async function answerMcp(call: McpCall, version: string): Promise<Response> {
  const { request, body, fetch, tasks } = call;
  const [{ createMcpHandler }, { createSessionServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./server.ts"),
  ]);
  const { origin } = new URL(request.url);
  const { headers } = request;
  const credentials = ["authorization", "cookie", "x-holdfast-key", "host"];
  const holdfast = connect({
    url: origin,
    client: "mcp",
    // Do not retry: the server is this same process, so a failed request would fail again.
    patience: 0,
    fetch: (inner) => {
      for (const name of credentials) {
        const value = headers.get(name);
        if (value !== null) inner.headers.set(name, value);
      }
      return fetch(inner);
    },
  });
  const handler = createMcpHandler(({ era }) =>
    createSessionServer(holdfast, { version, era, tasks }),
  );
  return handler.fetch(withoutBody(request), { parsedBody: body });
}

/** Copies a request without its body, which was already read. */
function withoutBody({ url, method, headers, signal }: Request): Request {
  return new Request(url, { method, headers, signal });
}
