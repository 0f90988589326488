import type { Workspace } from "@holdfast/sdk";
import { createEffect, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";

/** Agents and commands that runs of a directory can use. */
export interface WorkspaceChoices {
  readonly workspace: Workspace | null;
}

const nothing: WorkspaceChoices = { workspace: null };

/**
 * Returns the agents and commands that runs in a directory can use, and updates them until the calling component is
 * removed. Empty until they are loaded.
 */
export function workspaceChoices(directory: Accessor<string | null>): Accessor<WorkspaceChoices> {
  const [choices, setChoices] = createSignal(nothing);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let started = 0;
  const load = async (path: string): Promise<void> => {
    started += 1;
    const own = started;
    // Ignore the error: if the directory cannot be loaded, a run reports the problem.
    const loaded = await choicesOf(path).catch(() => nothing);
    if (directory() !== path || own !== started) return;
    setChoices(loaded);
    clearTimeout(timer);
    if (loaded.workspace?.mcp.some(isOnItsWay) === true) timer = setTimeout(reload, lookAgain);
  };
  const reload = (): void => {
    const path = directory();
    if (path !== null) void load(path);
  };
  createEffect(reload);
  onCleanup(() => clearTimeout(timer));
  onCleanup(
    onFeed((item) => {
      const isNew = item.type === "prompt.settled" && choices().workspace?.agents.some(isUnknown);
      if (item.type !== "maintenance" && isNew !== true) return;
      // A request that was sent before this event can return the state before the change.
      loading.delete(directory() ?? "");
      reload();
    }),
  );
  return choices;
}

/** True for an external (hosted) agent that has not run yet, so that its models, modes and commands are not known. */
function isUnknown({ isHosted, ...offered }: Workspace["agents"][number]): boolean {
  const { models, modes, commands } = offered;
  return isHosted && models.length + modes.length + commands.length === 0;
}

/** Poll interval while an MCP server is starting: no event reports that it is ready. */
export const lookAgain = 3_000;

export function isOnItsWay({ status }: Pick<Workspace["mcp"][number], "status">): boolean {
  return status === "connecting" || status === "reconnecting";
}

const loading = new Map<string, Promise<WorkspaceChoices>>();

/** Loads the agents and commands that runs in a directory can use. Concurrent calls share one request. */
function choicesOf(path: string): Promise<WorkspaceChoices> {
  const known = loading.get(path);
  if (known !== undefined) return known;
  const load = async (): Promise<WorkspaceChoices> => ({
    workspace: await holdfast.workspaces.get(path),
  });
  const asked = load().finally(() => {
    if (loading.get(path) === asked) loading.delete(path);
  });
  loading.set(path, asked);
  return asked;
}
