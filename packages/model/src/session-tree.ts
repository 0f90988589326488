import type { Session } from "@holdfast/sdk";
import { isShown } from "./session-filter.ts";
import type { SessionFilter } from "./session-filter.ts";

/** Sessions as listed: grouped by directory, children below the session that created them. */
export interface DirectoryGroup {
  readonly directory: string;
  readonly nodes: readonly SessionNode[];
}

export interface SessionNode {
  readonly session: Session;
  readonly children: readonly SessionNode[];
}

/** Sorts directories and sessions by latest activity. */
export function sessionTree(
  sessions: readonly Session[],
  filter: SessionFilter,
): readonly DirectoryGroup[] {
  const wanted = sessions.filter((session) => isShown(session, filter));
  const known = new Set(wanted.map(({ sessionId }) => sessionId));
  const children = new Map<string, Session[]>();
  const roots: Session[] = [];
  for (const session of wanted.toSorted((left, right) => right.updatedAt - left.updatedAt)) {
    const parent = session.parent?.sessionId;
    if (parent === undefined || !known.has(parent)) roots.push(session);
    else addTo(children, parent, session);
  }
  const nodeOf = (session: Session): SessionNode => ({
    session,
    children: (children.get(session.sessionId) ?? []).map(nodeOf),
  });
  const groups = new Map<string, SessionNode[]>();
  for (const session of roots) addTo(groups, session.directory, nodeOf(session));
  return [...groups].map(([directory, nodes]) => ({ directory, nodes }));
}

/** A row of the session list: a directory name, or a session with its depth below the parent session. */
export type ListRow =
  | { readonly kind: "directory"; readonly directory: string }
  | { readonly kind: "session"; readonly session: Session; readonly depth: number };

/** Returns the rows of the session list from top to bottom. The sessions of folded directories are left out. */
export function listRows(
  groups: readonly DirectoryGroup[],
  folded: ReadonlySet<string> = new Set(),
): readonly ListRow[] {
  const rows: ListRow[] = [];
  const add = ({ session, children }: SessionNode, depth: number): void => {
    rows.push({ kind: "session", session, depth });
    for (const child of children) add(child, depth + 1);
  };
  for (const { directory, nodes } of groups) {
    rows.push({ kind: "directory", directory });
    if (folded.has(directory)) continue;
    for (const node of nodes) add(node, 0);
  }
  return rows;
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** Splits a path into its last segment and the path before it. */
export function splitPath(path: string): { folder: string; above: string } {
  const at = path.replace(/\/+$/, "").lastIndexOf("/");
  return at <= 0
    ? { folder: path, above: "" }
    : { folder: path.slice(at + 1), above: path.slice(0, at) };
}
