import { createSearchIndex } from "../log/search-index.ts";
import { parseSearchMark } from "../log/search-mark.ts";
import { StoreError } from "../store/store-error.ts";
import { openExistingStore, openReader } from "./stores.ts";

/** Result of the check of the search index. */
export interface SearchCheck {
  /**
   * `behind`: some committed events are not indexed yet. `restored`: the position of the index is not in the log,
   * because the store was restored from a backup, for example on another PostgreSQL server.
   */
  readonly status: "complete" | "behind" | "restored" | "damaged";
  /** True if the search index was changed and is now complete. */
  readonly repaired: boolean;
}

/**
 * Checks the search index. If it is not complete and no other process owns the store, repairs it. With `rebuild`,
 * empties it and builds it again, even if no problem was found.
 */
export async function repairSearch(
  store: string,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<SearchCheck> {
  const status = await searchStatus(store);
  if (status === "complete" && !rebuild) return { status, repaired: false };
  try {
    await using stack = new AsyncDisposableStack();
    const owned = stack.adopt(await openExistingStore(store), (opened) => opened.close());
    if (status === "damaged" || status === "restored" || rebuild) await owned.clearSearch();
    return { status, repaired: await createSearchIndex(owned).catchUp(longestRepair) };
  } catch (error) {
    const isOthers = error instanceof StoreError && notOurs.has(error.code);
    if (isOthers) return { status, repaired: false };
    throw error;
  }
}

const notOurs: ReadonlySet<string> = new Set(["storeOwned", "storeReadOnly"]);
const longestRepair = 3_600_000;

async function searchStatus(store: string): Promise<SearchCheck["status"]> {
  await using stack = new AsyncDisposableStack();
  const reader = stack.adopt(await openReader(store), (opened) => opened.close());
  try {
    await reader.checkSearch();
    const { cursor } = parseSearchMark(await reader.searchMark());
    const page = await reader.feed({ after: cursor, limit: 1 });
    if (page.status === "reset") return "restored";
    return page.events.length === 0 ? "complete" : "behind";
  } catch (error) {
    if (error instanceof StoreError && error.code === "storeCorrupt") return "damaged";
    throw error;
  }
}

export function searchText({ status, repaired }: SearchCheck): string {
  if (status === "complete") return repaired ? "was rebuilt" : "complete";
  if (status === "behind") {
    return repaired
      ? "was behind the log and is complete now"
      : "behind the log; the server completes it";
  }
  if (status === "restored") {
    return repaired
      ? "came with a restored backup and has been rebuilt"
      : "came with a restored backup; the server rebuilds it";
  }
  return repaired ? "was damaged and has been rebuilt" : "damaged";
}
