/** Where a reader of the feed stands. It names the store, since a position means nothing in another. */
export interface FeedPosition {
  readonly storeId: string;
  readonly position: number;
  /**
   * The time of the event there: a file that was put back under its old name gives positions out a second
   * time. Null at the beginning, and in what an older program wrote.
   */
  readonly at: number | null;
}

export function writeCursor({ storeId, position, at }: FeedPosition): string {
  return at === null ? `${storeId}.${position}` : `${storeId}.${position}.${at}`;
}

/** Null when it can't be a cursor of any store. */
export function readCursor(cursor: string): FeedPosition | null {
  const found = /^([0-9a-f-]{36})\.(0|[1-9]\d{0,14})(?:\.(\d{1,15}))?$/.exec(cursor);
  const [, storeId, position, at] = found ?? [];
  if (storeId === undefined || position === undefined) return null;
  return { storeId, position: Number(position), at: at === undefined ? null : Number(at) };
}
