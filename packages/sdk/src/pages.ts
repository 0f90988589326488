/** A part of a list, and the cursor behind it: `after` of the part that follows, null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

/** Walks through all pages, one item after the other. */
export async function* eachItem<Item>(
  after: string | undefined,
  page: (after: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let next = after ?? null;
  do {
    const { items, cursor } = await page(next ?? undefined);
    yield* items;
    next = cursor;
  } while (next !== null);
}
