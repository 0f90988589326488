import { createResource } from "solid-js";
import type { Accessor } from "solid-js";
import { account, mayDecide } from "./account.ts";
import { holdfast } from "./client.ts";
import { allSessions } from "./sessions.ts";

/** Returns the directories of the known sessions, latest activity first. */
export function knownDirectories(): readonly string[] {
  const latest = allSessions().toSorted((left, right) => right.updatedAt - left.updatedAt);
  return [...new Set(latest.map(({ directory }) => directory))];
}

/**
 * Returns the folder in which the server was started, or the first directory that a limited token may use. Null until
 * it is loaded. A token with the role `propose` may not list folders, so it has a folder only if it is limited to one.
 */
export function createStartFolder(): Accessor<string | null> {
  const [start] = createResource(mayDecide, loadStart, { initialValue: null });
  return () => start.latest ?? account()?.directories?.[0] ?? null;
}

async function loadStart(): Promise<string | null> {
  return holdfast.workspaces.folders().then(
    ({ directory }) => directory,
    () => null,
  );
}
