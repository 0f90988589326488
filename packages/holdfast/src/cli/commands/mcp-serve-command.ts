import { once } from "node:events";
import { programVersion } from "../../base/package.ts";
import { openClient } from "../../compose/client.ts";
import { serveOnStdio } from "../../mcp-server/stdio.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";

/**
 * `holdfast mcp serve`: serves an MCP client, such as another agent, on stdin and stdout. Sessions continue after this
 * command ends.
 */
export async function serveMcp(options: ClientOptions): Promise<ExitCode> {
  if (process.stdin.isTTY) console.error("MCP clients start this command; press Ctrl-D to quit");
  await using client = await openClient({ ...placeOf(options), client: "mcp" }, "server");
  const close = serveOnStdio(client.holdfast, programVersion());
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  // Wait until the input ends or a signal arrives.
  await once(process.stdin, "end", { signal: ended.signal }).catch(() => {});
  await close();
  process.stdin.destroy();
  return exitCodes.ok;
}
