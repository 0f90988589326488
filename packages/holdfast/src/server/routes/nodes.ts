import type { Node } from "../../contract/status.ts";
import type { NodesView, NodeView } from "../../runtime/views/nodes.ts";
import type { Principal } from "../ports.ts";
import { mayUse } from "../security/directories.ts";
import { visible } from "./route-parts.ts";
import type { RouteParts } from "./route-parts.ts";

/** The nodes as a principal may see them: of others' sessions and directories, nothing. */
export async function visibleNodes(
  parts: Pick<RouteParts, "runtime">,
  principal: Principal,
  view: NodesView,
): Promise<{ items: Node[]; abandoned: string[]; nowhere: string[] }> {
  const seen = async (sessions: readonly string[]): Promise<string[]> => {
    const items = sessions.map((sessionId) => ({ sessionId }));
    return (await visible(parts, principal, items)).map(({ sessionId }) => sessionId);
  };
  const mine = (directories: readonly string[]): string[] =>
    directories.filter((directory) => mayUse(principal, directory));
  const itemOf = async ({ about, lanes, ...node }: NodeView): Promise<Node> => ({
    ...node,
    host: about?.host ?? null,
    pid: about?.pid ?? null,
    version: about?.version ?? null,
    startedAt: about?.startedAt ?? null,
    maxRuns: about?.maxRuns ?? null,
    lanes: await seen(lanes),
    absent: mine(about?.absent ?? []),
  });
  return {
    items: await Promise.all(view.nodes.map(itemOf)),
    abandoned: await seen(view.abandoned),
    nowhere: mine(view.nowhere),
  };
}
