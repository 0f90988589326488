import type { Handlers } from "../handler.ts";
import { offered } from "./route-services.ts";

/** Handles requests of MCP clients. Each tool call becomes a request to this API, with the client's token. */
export interface McpEndpoint {
  answer(call: {
    readonly request: Request;
    readonly body: unknown;
    /** Sends a request to this API, as if it came from the client's address. */
    readonly fetch: (request: Request) => Response | Promise<Response>;
    /** Id of the client's token; null for an in-process client. */
    readonly tokenId: string | null;
  }): Promise<Response>;
}

export function mcpEndpointHandlers(
  mcp: McpEndpoint | null,
  fetch: (request: Request, env: object) => Response | Promise<Response>,
): Handlers<"callMcp"> {
  return {
    callMcp: ({ request, body, context, principal }) =>
      offered(mcp, "MCP tools").answer({
        request,
        body,
        fetch: (inner) => fetch(inner, context.env),
        tokenId: principal.tokenId,
      }),
  };
}
