import type { Term } from "./terms.ts";

/** Read operations of the search index. The index is filled from the feed, so the newest events may be missing. */
export interface SearchReader {
  /** Returns the search mark: the feed cursor up to which the index is complete; null: nothing is indexed yet. */
  searchMark(): Promise<string | null>;
  /** Returns indexed texts that contain all terms, newest first. */
  findTexts(query: TextQuery): Promise<readonly FoundText[]>;
  /** Checks the index. Throws `StoreError` with the code storeCorrupt if the index is damaged. */
  checkSearch(): Promise<void>;
}

export interface SearchWriter {
  /**
   * Adds and removes texts, and advances the search mark: the feed position up to which the index is complete. If
   * another write has already advanced the mark, changes nothing and returns false.
   */
  writeSearch(write: SearchWrite): Promise<boolean>;
  /** Empties the index, even if it is damaged. The next writes fill it from the start of the feed. */
  clearSearch(): Promise<void>;
}

export interface TextQuery {
  readonly terms: readonly Term[];
  /** Groups of labels. A text matches if it has at least one label of every group. */
  readonly labels: readonly (readonly string[])[];
  /** Only texts of events at or after this time. */
  readonly since: number | null;
  /** Only texts of events before this time. */
  readonly until: number | null;
  /** Only texts with a lower id than this one. */
  readonly before: number | null;
  readonly limit: number;
}

/** Location of an indexed text: an event, and the number of the text within the event. */
export interface TextPlace {
  readonly sessionId: string;
  readonly seq: number;
  readonly slot: number;
}

export interface FoundText extends TextPlace {
  /** A text that is indexed later has a higher id. */
  readonly id: number;
}

export interface NewText extends TextPlace {
  readonly at: number;
  readonly terms: readonly string[];
}

export interface SearchWrite {
  /**
   * Feed position up to which the index was complete before this write. If the index has another position now, nothing
   * is written.
   */
  readonly after: string | null;
  readonly mark: string;
  readonly texts: readonly NewText[];
  /** Sessions whose texts are removed from the search index. */
  readonly removed: readonly string[];
}
