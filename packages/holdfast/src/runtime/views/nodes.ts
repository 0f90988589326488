import type { Store } from "../../store/store.ts";
import { aboutOf, nodeKind } from "../../runner/nodes/announcement.ts";
import type { NodeAbout } from "../../runner/nodes/announcement.ts";

/** A process that has a lease on the store. */
export interface NodeView {
  readonly nodeId: string;
  /** The one that answers. */
  readonly self: boolean;
  readonly expiresAt: number;
  /** What it says of itself; null until it has. */
  readonly about: NodeAbout | null;
  /** The sessions whose lanes it owns. */
  readonly lanes: readonly string[];
}

export interface NodesView {
  readonly nodes: readonly NodeView[];
  /** Sessions whose lanes are in the name of a process that is gone: they wait for another. */
  readonly abandoned: readonly string[];
  /** Directories that lanes wait for and that no node has. */
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

/** A node that has said nothing yet may have it. */
function nowhereOf(nodes: readonly NodeView[]): readonly string[] {
  const [first, ...others] = nodes.map(({ about }) => about?.absent ?? []);
  return (first ?? []).filter((directory) => others.every((absent) => absent.includes(directory)));
}
