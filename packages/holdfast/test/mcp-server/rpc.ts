/** Calls `/mcp` as a client of the revision 2026-07-28 that knows tasks, or as an older one. */
export function rpcAt(url: string, token: string | null, era: "modern" | "legacy" = "modern") {
  let id = 0;
  return async (method: string, params: Record<string, unknown> = {}): Promise<RpcAnswer> => {
    id += 1;
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {
        elicitation: {},
        extensions: { "io.modelcontextprotocol/tasks": {} },
      },
    };
    const name = params["name"] ?? params["taskId"];
    const own = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    };
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(era === "modern" ? own : { "mcp-protocol-version": "2025-11-25" }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method,
        params: era === "modern" ? { ...params, _meta: meta } : params,
      }),
    });
    const text = await response.text();
    const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
    return { status: response.status, ...JSON.parse(data) };
  };
}

export interface RpcAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows its answer
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string };
}
