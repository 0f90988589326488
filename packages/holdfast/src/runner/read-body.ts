import type { StoreReader } from "../store/store.ts";

/** A stored body. Bodies are written by this program alone, so their shape is trusted. */
export async function readBody<Content>(
  store: StoreReader,
  hash: string | null,
): Promise<Content | null> {
  const bytes = hash === null ? null : await store.body(hash);
  if (bytes === null) return null;
  const content: Content = JSON.parse(new TextDecoder().decode(bytes));
  return content;
}
