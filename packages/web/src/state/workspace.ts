import type { Provider, Workspace } from "@holdfast/sdk";
import { createEffect, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";

/** What runs of a directory can work with: agents, models, commands. */
export interface WorkspaceChoices {
  readonly workspace: Workspace | null;
  readonly models: readonly string[];
}

const nothing: WorkspaceChoices = { workspace: null, models: [] };

/** Follows a directory's choices for as long as the component lives; nothing where there are none. */
export function workspaceChoices(directory: Accessor<string | null>): Accessor<WorkspaceChoices> {
  const [choices, setChoices] = createSignal(nothing);
  const load = async (path: string): Promise<void> => {
    try {
      const [workspace, providers] = await Promise.all([
        holdfast.workspaces.get(path),
        holdfast.providers.list().catch(() => ({ items: [] })),
      ]);
      if (directory() === path) {
        setChoices({ workspace, models: modelsOf(workspace, providers.items) });
      }
    } catch {
      // A directory that cannot be loaded says so when a run wants to begin.
      setChoices(nothing);
    }
  };
  const reload = (): void => {
    const path = directory();
    if (path !== null) void load(path);
  };
  createEffect(reload);
  onCleanup(
    onFeed((item) => {
      if (item.type === "maintenance") reload();
    }),
  );
  return choices;
}

function modelsOf(workspace: Workspace, providers: readonly Provider[]): readonly string[] {
  const known = [
    workspace.model,
    ...workspace.agents.map(({ model }) => model),
    ...providers
      .filter(({ status }) => status === "connected")
      .map(({ name, defaultModel }) => (defaultModel === null ? null : `${name}/${defaultModel}`)),
  ];
  return [...new Set(known)].filter((model) => model !== null);
}
