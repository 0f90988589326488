import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sessionLabel } from "../search/labels.ts";
import type { FoundText, SearchWrite, TextQuery } from "../search/search.ts";
import type { Term } from "../search/terms.ts";
import { StoreError } from "../store-error.ts";
import { isDamage } from "./errors.ts";
import { optional, text, whole } from "./row.ts";

// The search index: FTS5 stores the terms of each text under the text's id, and the table `texts` stores where the text
// is. All statements are prepared on first use, so that a damaged index does not keep the store from opening.

export interface SearchReads {
  mark(): string | null;
  find(query: TextQuery): FoundText[];
  check(): void;
}

export interface SearchWrites {
  write(write: SearchWrite): boolean;
  clear(): void;
  /** Removes the texts and terms of a session, in the caller's transaction. Empties the index if it is damaged. */
  remove(sessionId: string): void;
}

const markKey = "search_mark";

export function prepareSearchReads(database: DatabaseSync): SearchReads {
  const prepared = createStatements(database);
  const firstSince = (at: number): number => {
    const { last } = prepared("SELECT coalesce(max(id), 0) AS last FROM texts").get() ?? {};
    return firstIdSince(at, {
      last: Number(last),
      timeAt: (id) =>
        optional(
          prepared("SELECT id, at FROM texts WHERE id >= ? ORDER BY id LIMIT 1").get(id),
          (row) => ({ id: whole(row, "id"), at: whole(row, "at") }),
        ),
    });
  };
  const wordsFrom = wordReads(database, prepared);
  return {
    mark: () => readMark(prepared),
    find({ terms, labels, since, until, before, limit }) {
      const low = since === null ? 0 : firstSince(since);
      const high = Math.min(
        before ?? Number.MAX_SAFE_INTEGER,
        until === null ? Number.MAX_SAFE_INTEGER : firstSince(until),
      );
      return prepared(
        `SELECT texts.id, session_id, texts.seq, slot
         FROM text_terms CROSS JOIN texts ON texts.id = text_terms.rowid
           CROSS JOIN lanes ON lanes.lane = texts.lane
         WHERE text_terms MATCH ? AND text_terms.rowid >= ? AND text_terms.rowid < ?
         ORDER BY text_terms.rowid DESC LIMIT ?`,
      )
        .all(matchOf(terms, labels, wordsFrom), low, high, limit)
        .map((row) => ({
          id: whole(row, "id"),
          sessionId: text(row, "session_id"),
          seq: whole(row, "seq"),
          slot: whole(row, "slot"),
        }));
    },
    check: () => {
      for (const table of searchTables) {
        const rows = prepared(`PRAGMA integrity_check('${table}')`).all();
        const problem = rows.map((row) => text(row, "integrity_check")).find((row) => row !== "ok");
        if (problem !== undefined) throw damagedIndex(problem);
      }
      openWords(database);
      inSnapshot(database, () => checkCounts(prepared));
    },
  };
}

/** The index of terms, the tables in which FTS5 stores it, and the places of the texts. */
const searchTables = [
  "text_terms",
  "text_terms_data",
  "text_terms_idx",
  "text_terms_docsize",
  "texts",
] as const;

/**
 * Throws if texts, or terms of texts, are missing. FTS5's own check does not notice this, because the index does not
 * contain the texts. FTS5 stores the number of terms of each text in `docsize`, apart from the terms.
 */
function checkCounts(prepared: Statements): void {
  const counts = prepared(
    `SELECT (SELECT count(*) FROM texts) AS texts,
       (SELECT count(*) FROM text_terms_docsize) AS indexed,
       (SELECT count(*) FROM text_terms_docsize CROSS JOIN texts USING (id) CROSS JOIN lanes USING (lane)) AS known`,
  ).get();
  const [texts, indexed, known] = ["texts", "indexed", "known"].map((name) =>
    Number(counts?.[name]),
  );
  if (texts !== indexed) throw damagedIndex(`it has ${indexed} of ${texts} texts`);
  if (texts !== known) throw damagedIndex(`it has the places of ${known} of ${texts} texts`);
  let [terms, ids] = [0, 0];
  for (const row of prepared("SELECT id, sz FROM text_terms_docsize").iterate()) {
    const size = varint(row["sz"]);
    terms += size;
    ids += size * whole(row, "id");
  }
  const found = prepared("SELECT count(*) AS terms, total(doc) AS ids FROM temp.text_words").get();
  const [foundTerms, foundIds] = [Number(found?.["terms"]), Number(found?.["ids"])];
  if (foundTerms !== terms) throw damagedIndex(`it has ${foundTerms} of ${terms} terms`);
  // The sum of the ids differs if terms are stored with another text.
  if (foundIds !== ids) throw damagedIndex("it has terms at the wrong texts");
}

/** Decodes SQLite's format of an integer: seven bits in each byte, with the highest bits first. */
function varint(bytes: unknown): number {
  let value = 0;
  for (const byte of bytes instanceof Uint8Array ? bytes : []) {
    value = value * 128 + (byte & 127);
    if (byte < 128) break;
  }
  return value;
}

export function prepareSearchWrites(database: DatabaseSync): SearchWrites {
  const prepared = createStatements(database);
  const remove = (sessionId: string): void => {
    prepared(`DELETE FROM texts WHERE lane = (SELECT lane FROM lanes WHERE session_id = ?)`).run(
      sessionId,
    );
    const rows = prepared("SELECT rowid AS id FROM text_terms WHERE text_terms MATCH ?").all(
      quoted(sessionLabel(sessionId)),
    );
    for (const row of rows) {
      prepared("DELETE FROM text_terms WHERE rowid = ?").run(whole(row, "id"));
    }
  };
  const clear = (): void => {
    // Drop the index and create it again. FTS5's own command `delete-all` would read the old index and fail if it
    // is damaged.
    database.exec(`DELETE FROM texts; DROP TABLE text_terms; ${createTextTerms}`);
    prepared("DELETE FROM meta WHERE key = ?").run(markKey);
  };
  const add = ({ sessionId, seq, slot, at, terms }: SearchWrite["texts"][number]): void => {
    const { changes, lastInsertRowid: id } = prepared(
      `INSERT INTO texts (lane, seq, slot, at)
       SELECT lane, ?, ?, ? FROM lanes WHERE session_id = ? AND deleted = 0`,
    ).run(seq, slot, at, sessionId);
    if (changes === 0) return;
    prepared("INSERT INTO text_terms (rowid, terms) VALUES (?, ?)").run(id, terms.join(" "));
  };
  return {
    write: ({ after, mark, texts, removed }) =>
      inTransaction(database, () => {
        if (readMark(prepared) !== after) return false;
        for (const sessionId of removed) remove(sessionId);
        for (const text of texts) add(text);
        prepared(
          `INSERT INTO meta (key, value) VALUES (?, ?)
           ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        ).run(markKey, mark);
        return true;
      }),
    clear: () => inTransaction(database, clear),
    remove: (sessionId) => {
      try {
        remove(sessionId);
      } catch (error) {
        if (!isDamage(error)) throw error;
        clear();
      }
    },
  };
}

/**
 * The index of terms. It stores neither the texts nor the order of their terms. With `prefix`, FTS5 also indexes the
 * first 1 to 4 characters of each term, so that a search for a short prefix is fast.
 */
export const createTextTerms = `
    CREATE VIRTUAL TABLE text_terms USING fts5(
      terms, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize="ascii tokenchars '_'");
`;
const maxStoredPrefix = 4;

/**
 * A query with a long prefix searches for the indexed words that begin with the prefix, if there are at most this many.
 * Prefixes of up to `maxStoredPrefix` characters are in the index, so a query searches for them directly.
 */
const maxWords = 64;

/**
 * Returns a function that lists the indexed words with a prefix; null if there are more than `maxWords`. A query for a
 * few words is faster than one for a prefix: FTS5 returns the newest texts of a word directly, but for a prefix it
 * first collects all texts.
 */
function wordReads(database: DatabaseSync, prepared: Statements): WordsFrom {
  let isOpen = false;
  return (beginning) => {
    if (!isOpen) openWords(database);
    isOpen = true;
    const next = prepared("SELECT term FROM temp.text_words WHERE term >= ? LIMIT 1");
    const words: string[] = [];
    for (let from = beginning; ;) {
      const word = optional(next.get(from), (row) => text(row, "term"));
      if (word === null || !word.startsWith(beginning)) return words;
      if (words.length === maxWords) return null;
      words.push(word);
      // The table has one row for each use of a word. Continue after all rows of this word: \u0001 sorts before every
      // character that a longer word can have at this place.
      from = `${word}\u0001`;
    }
  };
}

/** Makes all indexed words readable in a table, with one row for each text of a word. */
function openWords(database: DatabaseSync): void {
  database.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_words USING fts5vocab(main, text_terms, instance)",
  );
}

type WordsFrom = (beginning: string) => readonly string[] | null;

function damagedIndex(problem: string): StoreError {
  return new StoreError("storeCorrupt", `the search index is damaged: ${problem}`);
}

type Statements = (sql: string) => StatementSync;

function createStatements(database: DatabaseSync): Statements {
  const known = new Map<string, StatementSync>();
  return (sql) => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
}

function readMark(prepared: Statements): string | null {
  const row = prepared("SELECT value FROM meta WHERE key = ?").get(markKey);
  return optional(row, (found) => text(found, "value"));
}

function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Lets several statements read the same state of the database, even while another process writes. */
function inSnapshot(database: DatabaseSync, read: () => void): void {
  database.exec("BEGIN");
  try {
    read();
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function matchOf(
  terms: readonly Term[],
  labels: TextQuery["labels"],
  wordsFrom: WordsFrom,
): string {
  const words = terms.map(({ text: term, isPrefix }) => {
    if (!isPrefix) return quoted(term);
    const known = Array.from(term).length > maxStoredPrefix ? wordsFrom(term) : null;
    return known === null || known.length === 0 ? `${quoted(term)}*` : anyOf(known);
  });
  return [...labels.map(anyOf), ...words].join(" AND ");
}

function anyOf(words: readonly string[]): string {
  return `(${words.map(quoted).join(" OR ")})`;
}

function quoted(term: string): string {
  return `"${term}"`;
}

/**
 * Returns the lowest id of a text at or after a time; texts are indexed in order of time. Uses a binary search, because
 * an index by time would cost more than it saves.
 */
function firstIdSince(
  at: number,
  texts: { last: number; timeAt: (id: number) => { id: number; at: number } | null },
): number {
  let low = 1;
  let high = texts.last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = texts.timeAt(middle);
    if (found === null || found.at >= at) high = middle;
    else low = found.id + 1;
  }
  return low;
}
