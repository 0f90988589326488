import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

/** An MCP server and its authorization server, at one address. Records the requests that both receive. */
export interface OAuthServer {
  readonly origin: string;
  readonly url: string;
  /** Requests to the token endpoint, as `grant_type`. */
  readonly grants: readonly string[];
  /** The access tokens that `/mcp` got. */
  readonly tokens: readonly (string | undefined)[];
  /** Makes all tokens invalid that were given out so far. */
  expire(): void;
  /** Changes how the server behaves. */
  readonly tricks: Tricks;
}

interface Tricks {
  /** Redirects the token endpoint to this address. */
  tokenRedirect: string | null;
  authorizationUrl: string | null;
  refusesRefresh: boolean;
  /** Delays the next answer with status 401 until this promise resolves. */
  refusalDelay: Promise<void> | null;
}

export async function oauthServer(t: TestContext): Promise<OAuthServer> {
  const grants: string[] = [];
  const tokens: (string | undefined)[] = [];
  const tricks: Tricks = {
    tokenRedirect: null,
    authorizationUrl: null,
    refusesRefresh: false,
    refusalDelay: null,
  };
  let issued = 0;
  let oldest = 1;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const json = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const body = await text(request);
    switch (new URL(request.url ?? "", origin).pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return json(200, {
          issuer: origin,
          authorization_endpoint: tricks.authorizationUrl ?? `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/register":
        return json(201, { ...JSON.parse(body), client_id: "client-1" });
      case "/token": {
        if (tricks.tokenRedirect !== null) {
          response.writeHead(307, { location: tricks.tokenRedirect }).end();
          return;
        }
        const grant = new URLSearchParams(body).get("grant_type") ?? "";
        grants.push(grant);
        if (grant === "refresh_token" && tricks.refusesRefresh) {
          return json(400, { error: "invalid_grant" });
        }
        issued += 1;
        return json(200, {
          access_token: `access-${issued}`,
          refresh_token: `refresh-${issued}`,
          token_type: "Bearer",
        });
      }
      case "/mcp":
        return serveMcp(request, { body, json, response });
      default:
        json(404, {});
    }
  };
  const serveMcp = async (
    request: IncomingMessage,
    {
      body,
      json,
      response,
    }: {
      body: string;
      json: (status: number, body: object) => void;
      response: ServerResponse;
    },
  ): Promise<void> => {
    const { authorization } = request.headers;
    tokens.push(authorization);
    const number = Number(/^Bearer access-(\d+)$/.exec(authorization ?? "")?.[1] ?? 0);
    if (number < oldest) {
      const { refusalDelay } = tricks;
      tricks.refusalDelay = null;
      await refusalDelay;
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return;
    }
    const { id, method } =
      request.method === "POST" ? JSON.parse(body) : { id: undefined, method: "" };
    if (id === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
      return;
    }
    const result = results[method];
    if (result === undefined)
      json(200, { jsonrpc: "2.0", id, error: { code: -32_601, message: "no" } });
    else json(200, { jsonrpc: "2.0", id, result });
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    origin,
    url: `${origin}/mcp`,
    grants,
    tokens,
    tricks,
    expire: () => {
      oldest = issued + 1;
    },
  };
}

const results: Readonly<Record<string, object | undefined>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "guarded", version: "1" },
  },
  "tools/list": { tools: [{ name: "any", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "welcome" }] },
};
