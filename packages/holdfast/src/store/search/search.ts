import type { Term } from "./terms.ts";

/** Read operations of the search index. The index follows the feed: it may end before the last committed event. */
export interface SearchReader {
  /** The feed cursor up to which the index is complete; null: nothing is indexed yet. */
  searchMark(): Promise<string | null>;
  /** Indexed texts that contain all terms, newest first. */
  findTexts(query: TextQuery): Promise<readonly FoundText[]>;
  /** Throws `StoreError` with the code storeCorrupt if the index is damaged. */
  checkSearch(): Promise<void>;
}

export interface SearchWriter {
  /** Adds and removes texts and moves the mark. Returns false and changes nothing if the mark has moved meanwhile. */
  writeSearch(write: SearchWrite): Promise<boolean>;
  /** Empties the index, even if it is damaged. The next writes fill it from the start of the feed. */
  clearSearch(): Promise<void>;
}

export interface TextQuery {
  readonly terms: readonly Term[];
  /** Each group must match: at least one of its labels. */
  readonly labels: readonly (readonly string[])[];
  /** Time of the event, from and including. */
  readonly since: number | null;
  /** Time of the event, up to and excluding. */
  readonly until: number | null;
  /** Only texts before the text with this id. */
  readonly before: number | null;
  readonly limit: number;
}

/** Place of an indexed text: an event, and which of its texts. */
export interface TextPlace {
  readonly sessionId: string;
  readonly seq: number;
  readonly slot: number;
}

export interface FoundText extends TextPlace {
  /** Grows with every indexed text. */
  readonly id: number;
}

export interface NewText extends TextPlace {
  readonly at: number;
  readonly terms: readonly string[];
}

export interface SearchWrite {
  /** The mark that this write continues. */
  readonly after: string | null;
  readonly mark: string;
  readonly texts: readonly NewText[];
  /** Sessions whose texts are removed. */
  readonly removed: readonly string[];
}
