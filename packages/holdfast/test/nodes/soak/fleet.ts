import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { createNode, openCluster } from "./cluster.ts";
import type { ClusterNode } from "./cluster.ts";

/** Servers on one store of either kind. */
export interface Fleet {
  readonly directory: string;
  readonly nodes: readonly ClusterNode[];
  /** Opens the store itself; on SQLite the server must have ended. */
  openStore(): Promise<Store>;
  close(): Promise<void>;
}

/** Two servers on PostgreSQL, or one on SQLite. */
export async function openFleet(kind: "sqlite" | "postgres", lease: string): Promise<Fleet> {
  if (kind === "sqlite") return openSqliteFleet(lease);
  const cluster = await openCluster({ nodes: 2, lease });
  const { directory, nodes, url } = cluster;
  return {
    directory,
    nodes,
    openStore: () => openPostgresStore({ url, connections: 4 }),
    close: () => cluster.close(),
  };
}

function openSqliteFleet(lease: string): Fleet {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-fleet-")));
  const [directory, folder] = [join(root, "project"), join(root, "node")];
  for (const each of [directory, folder]) mkdirSync(each);
  const store = join(root, "store.db");
  const ended: string[] = [];
  const node = createNode({
    folder,
    store,
    lease,
    cut: () => {},
    onEnd: (words) => ended.push(words),
  });
  return {
    directory,
    nodes: [node],
    openStore: async () => openSqliteStore({ file: store }),
    close: async () => {
      await node.kill();
      rmSync(root, { recursive: true });
    },
  };
}
