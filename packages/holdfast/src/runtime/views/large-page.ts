/** A page of a list, limited in items and bytes: a whole page is in memory and sent at once. */
export interface Page<Item> {
  readonly items: readonly Item[];
  add(item: Item): void;
  /** Number of items that still fit. */
  missing(): number;
  /** Number of items to read at once: fewer if earlier items were large. */
  batch(): number;
  isFull(): boolean;
}

/** Characters after which a page is full. */
const maxLength = 4 * 1024 * 1024;
const firstBatch = 8;
const largestBatch = 100;

/**
 * Collects the items of a page. Even if items are large, the page gets two of them if there are two: callers that
 * read one item too many drop the last one.
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
