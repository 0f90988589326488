import type { Store } from "../../store/store.ts";
import { aboutOf, nodeKind } from "../../runner/nodes/announcement.ts";
import type { NodeAbout } from "../../runner/nodes/announcement.ts";

/** A process with a lease on the store. */
export interface NodeView {
  readonly nodeId: string;
  /** True for the process that answers this request. */
  readonly self: boolean;
  readonly expiresAt: number;
  /** Information that the node has published; null if it has published none yet. */
  readonly about: NodeAbout | null;
  /** Sessions whose lanes this node owns. */
  readonly lanes: readonly string[];
}

export interface NodesView {
  readonly nodes: readonly NodeView[];
  /** Sessions whose lanes belong to a process that is gone; they wait for a takeover. */
  readonly abandoned: readonly string[];
  /** Directories that sessions wait for and that no node has. */
  readonly nowhere: readonly string[];
}

const maxRecords = 1_000;

export async function readNodes(
  store: Store,
  self: { nodeId: string | null; about: NodeAbout },
): Promise<NodesView> {
  const [living, owned, records] = await Promise.all([
    store.nodes(),
    store.ownedLanes(),
    store.records(nodeKind, { after: null, limit: maxRecords }),
  ]);
  const lanesOf = Map.groupBy(owned, ({ nodeId }) => nodeId);
  const nodes = living.map(({ nodeId, expiresAt }) => {
    const record = records.find(({ id }) => id === nodeId);
    const said = record === undefined ? null : aboutOf(record);
    return {
      nodeId,
      self: nodeId === self.nodeId,
      expiresAt,
      about: nodeId === self.nodeId ? self.about : said,
      lanes: (lanesOf.get(nodeId) ?? []).map(({ sessionId }) => sessionId),
    };
  });
  const alive = new Set(living.map(({ nodeId }) => nodeId));
  return {
    nodes,
    abandoned: owned.flatMap(({ nodeId, sessionId }) => (alive.has(nodeId) ? [] : [sessionId])),
    nowhere: nowhereOf(nodes),
  };
}

/**
 * Lists directories that every node reports as absent. The list is empty if a node has not published its information
 * yet.
 */
function nowhereOf(nodes: readonly NodeView[]): readonly string[] {
  const [first, ...others] = nodes.map(({ about }) => about?.absent ?? []);
  return (first ?? []).filter((directory) => others.every((absent) => absent.includes(directory)));
}
