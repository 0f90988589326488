/** Sorts each child right after its parent and keeps the order otherwise. Returns the depth of each entry. */
export function belowParents(
  ids: readonly string[],
  parentOf: (id: string) => string | null,
): readonly { readonly id: string; readonly depth: number }[] {
  const known = new Set(ids);
  const children = new Map<string | null, string[]>();
  for (const id of ids) {
    const parent = parentOf(id);
    const key = parent !== null && known.has(parent) ? parent : null;
    children.set(key, [...(children.get(key) ?? []), id]);
  }
  const below = (id: string | null, depth: number): { id: string; depth: number }[] =>
    (children.get(id) ?? []).flatMap((child) => [{ id: child, depth }, ...below(child, depth + 1)]);
  return below(null, 0);
}
