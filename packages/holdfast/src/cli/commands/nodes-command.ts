import { openClient } from "../../compose/client.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { oneLine } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";

/** `holdfast nodes`: who works on the store, and on what. */
export async function listNodes(
  options: ClientOptions & { readonly json?: true },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  const list = await holdfast.nodes();
  if (options.json === true) {
    console.log(JSON.stringify(list));
    return exitCodes.ok;
  }
  for (const node of list.items) {
    const machine = node.host === null ? "has not said where it is" : oneLine(node.host, 100);
    const process = node.pid === null ? "" : ` (process ${node.pid}, Holdfast ${node.version})`;
    const places = node.maxRuns === null ? "" : ` of ${node.maxRuns}`;
    const own = node.self ? "  answers here" : "";
    console.log(`${onStdout("bold", node.nodeId)}  ${machine}${process}${own}`);
    console.log(`  lanes  ${node.lanes.length}${places}`);
    for (const sessionId of node.lanes) console.log(`         ${oneLine(sessionId, 200)}`);
  }
  const { abandoned, nowhere } = list;
  if (abandoned.length > 0) {
    console.log(`waiting for another node, since theirs is gone: ${abandoned.length}`);
    for (const sessionId of abandoned) console.log(`         ${oneLine(sessionId, 200)}`);
  }
  for (const directory of nowhere) {
    console.log(`on no node: ${oneLine(directory, 500)}; sessions in it wait for one that has it`);
  }
  return exitCodes.ok;
}
