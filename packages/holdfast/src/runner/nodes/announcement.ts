import { hostname } from "node:os";
import type { Store, StoredRecord } from "../../store/store.ts";
import { programVersion } from "../../base/package.ts";
import { repeat } from "../../base/repeat.ts";
import type { Clock } from "../../base/time.ts";

/** Information about a node. It is stored in a record under the node's id. */
export interface NodeAbout {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly maxRuns: number;
  /** Directories that lanes wait for and that are not on this node's machine; at most `maxNamed`. */
  readonly absent: readonly string[];
}

/** Keeps a node's record current, and deletes records of nodes that are gone. */
export interface Announcement {
  /** Deletes this node's record. Call this before the lease is given up. */
  withdraw(): Promise<void>;
}

export const nodeKind = "node";
const lookEvery = 2_000;
const maxNamed = 100;
const maxRecords = 1_000;

/** Returns a function that collects the current information about this process. */
export function describeNode(options: {
  maxRuns: number;
  clock: Clock;
  absent: () => readonly string[];
}): () => NodeAbout {
  const { maxRuns, clock, absent } = options;
  const fixed = { version: programVersion(), startedAt: clock.now(), maxRuns };
  return () => ({
    host: hostname(),
    pid: process.pid,
    ...fixed,
    absent: absent().slice(0, maxNamed),
  });
}

export function announceNode(options: {
  store: Store;
  nodeId: () => string | null;
  about: () => NodeAbout;
  clock: Clock;
  onError: (error: unknown) => void;
}): Announcement {
  const { store, nodeId } = options;
  let published = "";
  let failing = false;

  const write = async (id: string, about: NodeAbout): Promise<void> => {
    const record = await store.record(nodeKind, id);
    await store.putRecord({ kind: nodeKind, id, value: about, version: record?.version ?? null });
  };
  const sweep = async (): Promise<void> => {
    // Read the records first: a node has joined before it writes its record, so its record is not taken for a leftover.
    const records = await store.records(nodeKind, { after: null, limit: maxRecords });
    const living = new Set((await store.nodes()).map((node) => node.nodeId));
    for (const { id } of records) {
      if (!living.has(id)) await store.removeRecord({ kind: nodeKind, id });
    }
  };
  const look = async (): Promise<void> => {
    const id = nodeId();
    if (id === null) return;
    const about = options.about();
    const text = `${id} ${JSON.stringify(about)}`;
    if (text === published) return;
    const isNew = !published.startsWith(id);
    await write(id, about);
    published = text;
    if (isNew) await sweep();
  };
  const lookSafely = async (): Promise<void> => {
    try {
      await look();
      failing = false;
    } catch (error) {
      // The record about this node is only informative. If writing it keeps failing, report only the first error.
      if (!failing) options.onError(error);
      failing = true;
    }
  };
  const { clock, onError } = options;
  const looking = repeat({ work: lookSafely, first: 0, every: lookEvery, onError, clock });
  return {
    withdraw: async () => {
      await looking.stop();
      const id = nodeId();
      // If the removal fails, another node deletes the record after the lease has ended.
      if (id !== null) await store.removeRecord({ kind: nodeKind, id }).catch(() => {});
    },
  };
}

/** Parses a record. Returns null if a node of another release wrote it in a different shape. */
export function aboutOf({ value }: StoredRecord): NodeAbout | null {
  if (typeof value !== "object" || value === null) return null;
  const { host, pid, version, startedAt, maxRuns, absent }: Partial<NodeAbout> = value;
  if (typeof host !== "string" || typeof version !== "string") return null;
  if (typeof pid !== "number" || typeof startedAt !== "number") return null;
  if (typeof maxRuns !== "number" || !Array.isArray(absent)) return null;
  return { host, pid, version, startedAt, maxRuns, absent };
}
