import { createWorkspaceHost } from "../../../src/workspace/host.ts";
import type { WorkspaceHost } from "../../../src/workspace/host.ts";

/** A host whose directories have one resource each, which must not be closed under a run. */
export interface WatchedHost {
  readonly host: WorkspaceHost;
  /** True if the resource of this config version is still open. */
  isOpen(generation: string): boolean;
  /** Lists resources that were closed twice, or that are open although the host is closed. */
  problems(): string[];
}

/** Opens a host whose config is identified by a number: another number is another config. */
export function openWatchedHost(configNumber: () => number): WatchedHost {
  const resources = new Map<string, { closed: number }>();
  const keys = new Map<string, string>();
  let openings = 0;
  const open = (name: string): { closed: number } => {
    const resource = { closed: 0 };
    resources.set(name, resource);
    return resource;
  };
  const host = createWorkspaceHost({
    loader: {
      read: async (directory) => {
        const number = configNumber();
        const key = `mcp:${directory}:${number}`;
        return {
          digest: `${number}`,
          notices: [],
          resources: [
            {
              key,
              title: key,
              open: async () => {
                openings += 1;
                const name = `${key} ${openings}`;
                const resource = open(name);
                return {
                  version: () => name,
                  onChange: () => () => {},
                  close: async () => {
                    resource.closed += 1;
                  },
                };
              },
            },
          ],
          build: ({ generation, opened }) => {
            keys.set(`${directory} ${generation}`, opened.get(key)?.version() ?? "");
            return { generation, directory, setup: null };
          },
        };
      },
    },
    onError: (error) => {
      throw error;
    },
    onRefreshWanted: () => {},
  });
  return {
    host,
    isOpen: (generation) => resources.get(keys.get(generation) ?? "")?.closed === 0,
    problems: () =>
      [...resources].flatMap(([name, { closed }]) =>
        closed === 1 ? [] : [`M3: ${name} was closed ${closed} times`],
      ),
  };
}
