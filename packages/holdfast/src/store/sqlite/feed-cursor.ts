/** Position of a reader in the feed, with the store's id, because positions of another store are not valid here. */
export interface FeedPosition {
  readonly storeId: string;
  readonly position: number;
  /**
   * Time of the event at this position. It detects a restored backup, which gives the same positions to other
   * events. Null at the start of the feed, and in cursors of older releases.
   */
  readonly at: number | null;
}

export function writeCursor({ storeId, position, at }: FeedPosition): string {
  return at === null ? `${storeId}.${position}` : `${storeId}.${position}.${at}`;
}

/** Parses a cursor of any store. Returns null if the text is not a cursor. */
export function readCursor(cursor: string): FeedPosition | null {
  const found = /^([0-9a-f-]{36})\.(0|[1-9]\d{0,14})(?:\.(\d{1,15}))?$/.exec(cursor);
  const [, storeId, position, at] = found ?? [];
  if (storeId === undefined || position === undefined) return null;
  return { storeId, position: Number(position), at: at === undefined ? null : Number(at) };
}
