/** Where a reader of the feed stands. It names the store, since a position means nothing in another. */
export interface FeedPosition {
  readonly storeId: string;
  readonly position: number;
}

export function writeCursor({ storeId, position }: FeedPosition): string {
  return `${storeId}.${position}`;
}

/** Null when it is none of this store's cursors. */
export function readCursor(cursor: string, storeId: string): number | null {
  const prefix = `${storeId}.`;
  if (!cursor.startsWith(prefix)) return null;
  const digits = cursor.slice(prefix.length);
  return /^(?:0|[1-9]\d{0,14})$/.test(digits) ? Number(digits) : null;
}
