/** Where a reader of the feed stands. It names the store, since a position means nothing in another. */
export interface FeedPosition {
  readonly storeId: string;
  readonly position: number;
}

export function writeCursor({ storeId, position }: FeedPosition): string {
  return `${storeId}.${position}`;
}

/** Null when it can't be a cursor of any store. */
export function readCursor(cursor: string): FeedPosition | null {
  const found = /^([0-9a-f-]{36})\.(0|[1-9]\d{0,14})$/.exec(cursor);
  const [, storeId, position] = found ?? [];
  if (storeId === undefined || position === undefined) return null;
  return { storeId, position: Number(position) };
}
