/** A page of a list, limited in items and in characters, because it is held in memory and sent as one response. */
export interface Page<Item> {
  readonly items: readonly Item[];
  add(item: Item): void;
  /** Returns the number of items until the limit is reached. */
  missing(): number;
  /** Returns the number of items to read next: fewer if earlier items were large. */
  batch(): number;
  isFull(): boolean;
}

/** Number of characters after which a page is full. */
const maxLength = 4 * 1024 * 1024;
const firstBatch = 8;
const largestBatch = 100;

/**
 * Collects the items of a page until the page has `limit` items or too many characters. A page takes at least two items
 * (if `limit` allows), even very large ones. Callers collect one item more than they return, so each page returns at
 * least one item.
 */
export function openPage<Item>(limit: number): Page<Item> {
  const items: Item[] = [];
  let length = 0;
  const isFull = (): boolean =>
    items.length >= limit || (length > maxLength && items.length >= Math.min(2, limit));
  const missing = (): number => Math.max(0, limit - items.length);
  return {
    items,
    add: (item) => {
      items.push(item);
      length += lengthOf(item);
    },
    missing,
    batch: () => {
      const usual = length / Math.max(1, items.length);
      const room = usual === 0 ? largestBatch : Math.ceil((maxLength - length) / usual);
      const most = items.length === 0 ? firstBatch : Math.min(largestBatch, room);
      return Math.max(1, Math.min(missing(), most));
    },
    isFull,
  };
}

/** Counts the characters of all texts in a value. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const part of Object.values(value)) length += lengthOf(part);
  return length;
}
