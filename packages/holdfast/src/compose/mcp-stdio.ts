import type { Holdfast } from "@holdfast/sdk";

/** Serves one MCP client on stdin and stdout. Returns the function that ends it. */
export async function serveMcpOnStdio(
  holdfast: Holdfast,
  version: string,
): Promise<() => Promise<void>> {
  const { serveOnStdio } = await import("../mcp-server/stdio.ts");
  return serveOnStdio(holdfast, version);
}
