/**
 * Where a reader of the feed stands, by snapshots and not by positions: a commit that comes late has
 * a low position, but is in no earlier snapshot. It has all that `from` shows and, of what `to`
 * shows besides, everything up to a position.
 */
export interface Cursor {
  readonly storeId: string;
  readonly from: string;
  readonly window: { readonly to: string; readonly position: number } | null;
  /** One of the last events that it knows of; null when it knows of none, or an older program made it. */
  readonly mark: Mark | null;
}

/**
 * Tells an event from any other. A database that was restored from a backup goes on with numbers that
 * it has given out before: transactions and positions alone do not tell what a reader has seen.
 */
export interface Mark {
  readonly position: number;
  /** The beginning of the id of its commit. */
  readonly commit: string;
}

export const markLength = 8;

/** Shows nothing: transaction ids begin above it. */
export const emptySnapshot = "1:1:";

export function encodeCursor(cursor: Cursor): string {
  const { storeId, from, window, mark } = cursor;
  const fields = [
    storeId,
    from,
    ...(window === null ? [] : [window.to, window.position]),
    ...(mark === null ? [] : [`${mark.position}-${mark.commit}`]),
  ];
  return Buffer.from(fields.join("/")).toString("base64url");
}

/** Null for what is no cursor, or was changed on its way. */
export function decodeCursor(text: string): Cursor | null {
  const fields = Buffer.from(text, "base64url").toString().split("/");
  const mark = markOf(fields.at(-1) ?? "");
  if (mark !== null) fields.pop();
  const [storeId, from, to, position, ...rest] = fields;
  if (storeId === undefined || from === undefined || !isSnapshot(from)) return null;
  const cursor = { storeId, from, mark };
  if (to === undefined) return { ...cursor, window: null };
  if (rest.length > 0 || position === undefined || !/^\d{1,15}$/.test(position)) return null;
  return isSnapshot(to) ? { ...cursor, window: { to, position: Number(position) } } : null;
}

function markOf(text: string): Mark | null {
  const [, position, commit] = /^(\d{1,15})-([\da-f]{8})$/.exec(text) ?? [];
  return commit === undefined ? null : { position: Number(position), commit };
}

/**
 * A snapshot that shows the same events, now and later, without the transactions behind the last that
 * wrote one: so a cursor stays as it is while nothing happens to the store.
 */
export function trimSnapshot(snapshot: string, lastWriter: string | null): string {
  if (lastWriter === null) return emptySnapshot;
  const last = BigInt(lastWriter);
  const running = (snapshot.split(":")[2] ?? "").split(",").filter((id) => id !== "");
  const kept = running.filter((id) => BigInt(id) < last);
  return `${kept[0] ?? last + 1n}:${last + 1n}:${kept.join(",")}`;
}

/** The first transaction id that the snapshot knows nothing of. */
export function snapshotEnd(snapshot: string): bigint {
  return BigInt(snapshot.split(":")[1] ?? "0");
}

function isSnapshot(text: string): boolean {
  const match = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(text);
  if (match === null) return false;
  const [least, end] = [BigInt(match[1] ?? ""), BigInt(match[2] ?? "")];
  const running = match[3] === "" ? [] : (match[3] ?? "").split(",").map(BigInt);
  const isOrdered = running.every((id, index) => index === 0 || id > (running[index - 1] ?? 0n));
  return least > 0n && least <= end && isOrdered && running.every((id) => id >= least && id < end);
}
