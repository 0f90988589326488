/**
 * Position up to which the search index is complete. Events after the cursor are not indexed, except for the first
 * texts of one event with many texts.
 */
export interface SearchMark {
  /** Feed cursor; null: the start of the feed. */
  readonly cursor: string | null;
  /** The event of which only some texts are indexed, and the position of the last one of them. */
  readonly part: {
    readonly sessionId: string;
    readonly seq: number;
    readonly slot: number;
  } | null;
}

/** Parses the mark that is stored with the index. */
export function parseSearchMark(mark: string | null): SearchMark {
  const [cursor = "", seq, slot, ...rest] = (mark ?? "").split(" ");
  const part =
    seq === undefined || slot === undefined
      ? null
      : { sessionId: rest.join(" "), seq: Number(seq), slot: Number(slot) };
  return { cursor: cursor === "" ? null : cursor, part };
}

/** Formats a mark for the store: the cursor, followed by the indexed part of the next event. */
export function formatSearchMark(
  cursor: string | null,
  { sessionId, seq, slot }: NonNullable<SearchMark["part"]>,
): string {
  return `${cursor ?? ""} ${seq} ${slot} ${sessionId}`;
}
