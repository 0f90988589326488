import type { Session } from "@holdfast/sdk";
import { matchScore } from "./match.ts";

/** Sessions as the list shows them: by directory, children below the session that made them. */
export interface DirectoryGroup {
  readonly directory: string;
  readonly nodes: readonly SessionNode[];
}

export interface SessionNode {
  readonly session: Session;
  readonly children: readonly SessionNode[];
}

export interface TreeFilter {
  readonly search: string;
  readonly archived: boolean;
}

/** Directories and sessions in the order of their latest activity. */
export function sessionTree(
  sessions: readonly Session[],
  { search, archived }: TreeFilter,
): readonly DirectoryGroup[] {
  const wanted = sessions.filter(
    (session) => session.archived === archived && isFound(session, search),
  );
  const known = new Set(wanted.map(({ sessionId }) => sessionId));
  const children = new Map<string, Session[]>();
  const roots: Session[] = [];
  for (const session of wanted.toSorted((left, right) => right.updatedAt - left.updatedAt)) {
    const parent = session.parent?.sessionId;
    if (parent === undefined || !known.has(parent)) roots.push(session);
    else children.set(parent, [...(children.get(parent) ?? []), session]);
  }
  const nodeOf = (session: Session): SessionNode => ({
    session,
    children: (children.get(session.sessionId) ?? []).map(nodeOf),
  });
  const groups = new Map<string, SessionNode[]>();
  for (const session of roots) {
    groups.set(session.directory, [...(groups.get(session.directory) ?? []), nodeOf(session)]);
  }
  return [...groups].map(([directory, nodes]) => ({ directory, nodes }));
}

/** Where each session stands, by its id. */
export function nodesById(groups: readonly DirectoryGroup[]): ReadonlyMap<string, SessionNode> {
  const found = new Map<string, SessionNode>();
  const add = (node: SessionNode): void => {
    found.set(node.session.sessionId, node);
    for (const child of node.children) add(child);
  };
  for (const { nodes } of groups) for (const node of nodes) add(node);
  return found;
}

/** The list from top to bottom, for keys that go through it. */
export function flatten(groups: readonly DirectoryGroup[]): readonly Session[] {
  const below = ({ session, children }: SessionNode): Session[] => [
    session,
    ...children.flatMap(below),
  ];
  return groups.flatMap(({ nodes }) => nodes.flatMap(below));
}

function isFound({ title, directory, sessionId }: Session, search: string): boolean {
  if (search === "") return true;
  return [title ?? "", directory, sessionId].some((text) => matchScore(text, search) > 0);
}

/** The last part of a path, and what is before it. */
export function splitPath(path: string): { folder: string; above: string } {
  const at = path.replace(/\/+$/, "").lastIndexOf("/");
  return at <= 0
    ? { folder: path, above: "" }
    : { folder: path.slice(at + 1), above: path.slice(0, at) };
}
