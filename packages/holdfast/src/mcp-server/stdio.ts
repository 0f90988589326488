import type { Holdfast } from "@holdfast/sdk";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createSessionServer } from "./server.ts";

/** Serves one MCP client on stdin and stdout. Returns a function that stops serving. */
export function serveOnStdio(holdfast: Holdfast, version: string): () => Promise<void> {
  const served = serveStdio(({ era }) => createSessionServer(holdfast, { version, era }));
  return () => served.close();
}
