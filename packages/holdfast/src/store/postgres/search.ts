import { checkLimit } from "../limits.ts";
import type { FoundText, SearchWrite, TextQuery } from "../search/search.ts";
import type { Term } from "../search/terms.ts";
import { StoreError } from "../store-error.ts";
import type { Database } from "./database.ts";

export async function readSearchMark(database: Database): Promise<string | null> {
  const [row] = await database.rows<{ mark: string | null }>({
    text: "SELECT mark FROM search_mark",
  });
  return row?.mark ?? null;
}

/**
 * Searches the newest texts first: a common word is found there without sorting all texts that contain it. If the
 * newest texts contain too few results, searches all texts with the index, which is fast for a rare word.
 */
export async function findTexts(database: Database, query: TextQuery): Promise<FoundText[]> {
  const limit = checkLimit(query.limit);
  const values = [tsqueryOf(query), query.since, query.until, query.before, limit];
  const range = `($2::bigint IS NULL OR at >= $2) AND ($3::bigint IS NULL OR at < $3)
      AND ($4::bigint IS NULL OR id < $4)`;
  const newest = await database.rows<TextRow>({
    text: `
      SELECT id, session_id, seq, slot FROM (
        SELECT * FROM texts WHERE ${range} ORDER BY id DESC LIMIT ${fewTexts}) AS newest
      WHERE terms @@ $1::tsquery ORDER BY id DESC LIMIT $5`,
    values,
  });
  if (newest.length >= limit) return newest.map(readText);
  const rows = await database.rows<TextRow>({
    text: `
      WITH found AS MATERIALIZED (
        SELECT id, session_id, seq, slot FROM texts WHERE terms @@ $1::tsquery AND ${range})
      SELECT * FROM found ORDER BY id DESC LIMIT $5`,
    values,
  });
  return rows.map(readText);
}

/** Number of newest texts to search first, which takes a few milliseconds. */
const fewTexts = 2_000;

/** Throws if the index is missing or was not built completely. PostgreSQL itself reports other damage. */
export async function checkSearch(database: Database): Promise<void> {
  const [row] = await database.rows<{ valid: boolean }>({
    text: `SELECT coalesce((SELECT indisvalid FROM pg_index
      WHERE indexrelid = to_regclass('texts_terms')), false) AS valid`,
  });
  if (row?.valid === true) return;
  throw new StoreError(
    "storeCorrupt",
    "the search index is missing or incomplete. To rebuild it, stop the server and run: holdfast doctor",
  );
}

export async function writeSearch(database: Database, write: SearchWrite): Promise<boolean> {
  const { after, mark, texts, removed } = write;
  const rows = await database.rows({
    text: `
      WITH moved AS (
        UPDATE search_mark SET mark = $2 WHERE mark IS NOT DISTINCT FROM $1 RETURNING mark
      ), removed AS (
        DELETE FROM texts USING moved WHERE session_id = ANY ($3::text[])
      ), added AS (
        INSERT INTO texts (session_id, seq, slot, at, terms)
        SELECT session_id, new.seq, slot, at, array_to_tsvector(string_to_array(new.terms, ' '))
        FROM moved, unnest($4::text[], $5::bigint[], $6::int[], $7::bigint[], $8::text[])
          WITH ORDINALITY AS new (session_id, seq, slot, at, terms, place)
          JOIN lanes USING (session_id)
        WHERE NOT lanes.deleted ORDER BY place
      )
      SELECT mark FROM moved`,
    values: [
      after,
      mark,
      removed,
      texts.map(({ sessionId }) => sessionId),
      texts.map(({ seq }) => seq),
      texts.map(({ slot }) => slot),
      texts.map(({ at }) => at),
      texts.map(({ terms }) => terms.join(" ")),
    ],
  });
  return rows.length === 1;
}

export async function clearSearch(database: Database): Promise<void> {
  await database.retrying(() =>
    database.withClient(async (client) => {
      // Sent as one message, the statements are one transaction.
      await client.query(`
        UPDATE search_mark SET mark = NULL;
        TRUNCATE texts;
        DROP INDEX IF EXISTS texts_terms;
        CREATE INDEX texts_terms ON texts USING gin (terms)`);
    }),
  );
}

/** Builds a tsquery. Terms and labels have only letters, digits and underscores, so they need quotes but no escapes. */
function tsqueryOf({ terms, labels }: TextQuery): string {
  const words = terms.map(({ text, isPrefix }: Term) => `'${text}'${isPrefix ? ":*" : ""}`);
  const groups = labels.map((group) => `(${group.map((label) => `'${label}'`).join(" | ")})`);
  return [...groups, ...words].join(" & ");
}

interface TextRow {
  readonly id: number;
  readonly session_id: string;
  readonly seq: number;
  readonly slot: number;
}

function readText({ id, session_id: sessionId, seq, slot }: TextRow): FoundText {
  return { id, sessionId, seq, slot };
}
