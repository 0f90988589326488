/**
 * Position of a reader in the feed. A position number is not enough: a slow transaction can commit events with numbers
 * below those that the reader has already seen. So the cursor contains PostgreSQL snapshots. The reader has seen all
 * events in the snapshot `from`. If `window` is set, the reader is reading the events that the later snapshot
 * `window.to` adds, and has seen those up to the number `window.position`.
 */
export interface Cursor {
  readonly storeId: string;
  readonly from: string;
  readonly window: { readonly to: string; readonly position: number } | null;
  /**
   * One of the last events that the reader has seen. Null if it has seen none, or if an older release made the cursor.
   */
  readonly mark: Mark | null;
}

/**
 * Identifies an event even after a restore: a database restored from a backup reuses transaction ids and positions for
 * other events.
 */
export interface Mark {
  readonly position: number;
  /** First characters of the commit id. */
  readonly commit: string;
}

export const markLength = 8;

/** A snapshot in which no transaction is visible: real transaction ids are larger. */
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

/** Parses a cursor. Returns null if the text is not a valid cursor. */
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
 * Removes from a PostgreSQL snapshot all transactions after `lastWriter`, the last transaction that wrote an event.
 * Reads with the shorter snapshot find the same events. A cursor that contains the shorter snapshot changes only when
 * an event is written.
 */
export function trimSnapshot(snapshot: string, lastWriter: string | null): string {
  if (lastWriter === null) return emptySnapshot;
  const last = BigInt(lastWriter);
  const running = (snapshot.split(":")[2] ?? "").split(",").filter((id) => id !== "");
  const kept = running.filter((id) => BigInt(id) < last);
  return `${kept[0] ?? last + 1n}:${last + 1n}:${kept.join(",")}`;
}

/** Returns the first transaction id that is not in the snapshot. */
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
