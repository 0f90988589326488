import type { Holdfast } from "@holdfast/sdk";

/** Serves one MCP client on stdin and stdout. Returns a function that stops serving. */
export async function serveMcpOnStdio(
  holdfast: Holdfast,
  version: string,
): Promise<() => Promise<void>> {
  const { serveOnStdio } = await import("../mcp-server/stdio.ts");
  return serveOnStdio(holdfast, version);
}
