/** A page of a list. Pass `cursor` as `after` to get the next page; null means that there is none. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

/** Yields the items of all pages. */
export async function* eachItem<Item>(
  after: string | undefined,
  page: (after: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let next = after ?? null;
  do {
    const { items, cursor } = await page(next ?? undefined);
    yield* items;
    // Another kind of server may send no cursor at all: that must not start the list again.
    next = typeof cursor === "string" ? cursor : null;
  } while (next !== null);
}
