import type { Migration } from "../migrate.ts";
import { createTextTerms } from "./search.ts";

const lanesAndLog: Migration = {
  version: 1,
  lowestVersion: 1,
  sql: `
    CREATE TABLE meta (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID;

    -- A session's lane: its state, what a process that looks for work needs to know of it, what
    -- lists of sessions filter and sort by, and where its newest events are. The state comes last: who does not ask for it does not read
    -- the pages into which a long one overflows. A directory is kept as JSON: TEXT takes no half pairs.
    CREATE TABLE lanes (
      lane INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL UNIQUE,
      seq INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      archived INTEGER NOT NULL,
      ready TEXT,
      ready_at INTEGER,
      due_at INTEGER,
      owner TEXT,
      parent TEXT,
      directory TEXT NOT NULL,
      search TEXT NOT NULL,
      recent TEXT NOT NULL,
      state TEXT NOT NULL
    );
    CREATE INDEX lanes_ready ON lanes (ready_at) WHERE ready IS NOT NULL;
    CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX lanes_owned ON lanes (owner) WHERE owner IS NOT NULL;
    CREATE INDEX lanes_children ON lanes (parent) WHERE parent IS NOT NULL;

    -- All sessions' events. Only ever appended to, by one writer: a later position is a later commit.
    CREATE TABLE events (
      position INTEGER PRIMARY KEY,
      lane INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      type TEXT NOT NULL,
      subject TEXT,
      once INTEGER,
      data TEXT NOT NULL
    );
    -- Behind the rules: what may happen to a prompt, a run or a work once only.
    CREATE UNIQUE INDEX events_once ON events (lane, subject, once) WHERE once IS NOT NULL;

    -- Where a session's log is among all events. A commit would write a page of this for each of its
    -- lanes; so the newest positions are kept in the lane's row, which is written anyway, and come here
    -- together.
    CREATE TABLE log (
      lane INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (lane, seq)
    ) WITHOUT ROWID;

    -- The ledger: what has become of a prompt, by the position of the event that brought it. Until
    -- something has, that event itself says it all, and there is no row.
    CREATE TABLE prompts (
      position INTEGER PRIMARY KEY,
      row TEXT NOT NULL
    );

    CREATE TABLE asks (
      session_id TEXT NOT NULL,
      ask_id TEXT NOT NULL,
      opened_at INTEGER NOT NULL,
      open INTEGER NOT NULL,
      row TEXT NOT NULL,
      PRIMARY KEY (session_id, ask_id)
    ) WITHOUT ROWID;
    CREATE INDEX asks_open ON asks (opened_at) WHERE open = 1;

    CREATE TABLE cancels (
      session_id TEXT NOT NULL,
      cancel_id TEXT NOT NULL,
      receipt TEXT NOT NULL,
      PRIMARY KEY (session_id, cancel_id)
    ) WITHOUT ROWID;

    -- Found by a number out of the hash: each body adds to a page somewhere in the index, and the fewer
    -- pages that has, the fewer are written.
    CREATE TABLE bodies (
      key INTEGER NOT NULL,
      hash TEXT NOT NULL,
      content BLOB NOT NULL
    );
    CREATE INDEX bodies_by_key ON bodies (key);

    -- Leases: a process lives while ended_at is null and expires_at is ahead.
    CREATE TABLE nodes (
      node_id TEXT NOT NULL PRIMARY KEY,
      ttl INTEGER NOT NULL,
      renewed_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER
    ) WITHOUT ROWID;

    -- What belongs to the store as a whole, such as tokens.
    CREATE TABLE records (
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      version INTEGER NOT NULL,
      value TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;

    -- Contents on their way into a prompt, until they are swept.
    CREATE TABLE uploads (
      hash TEXT NOT NULL PRIMARY KEY,
      media_type TEXT NOT NULL,
      name TEXT,
      uploaded_at INTEGER NOT NULL,
      content BLOB NOT NULL
    );
  `,
};

const currentSessions: Migration = {
  version: 2,
  lowestVersion: 1,
  sql: `
    -- What people mostly list. It changes only when a session is made, archived, brought back or deleted,
    -- so that archived sessions cost lists nothing, and commits pay nothing for it.
    CREATE INDEX lanes_current ON lanes (lane) WHERE deleted = 0 AND archived = 0;
  `,
};

const sessionsInOrder: Migration = {
  version: 3,
  lowestVersion: 1,
  sql: `
    -- Lists in their order. Every commit writes it, mostly at its end: a page more for a lane alone, and
    -- hardly any for lanes that are committed together.
    CREATE INDEX lanes_in_order ON lanes (deleted, archived, updated_at);

    -- For the lists of directories with few sessions. No commit changes it.
    CREATE INDEX lanes_in_directory ON lanes (directory);

    -- lanes_current stays for programs that know version 2: they name it.
  `,
};

const settledPrompts: Migration = {
  version: 4,
  // Older releases do not know the table `settled`, so they would treat finished prompts as queued.
  lowestVersion: 4,
  sql: `
    -- The ledger's rows of settled prompts, by a number out of lane and id: a look-up reads one page of
    -- this, however many there are, and none of the log's index. The position is that of the event that
    -- settled it, which has no place in the log's index: this is what keeps it from happening twice.
    CREATE TABLE settled (
      key INTEGER PRIMARY KEY,
      lane INTEGER NOT NULL,
      position INTEGER NOT NULL,
      row TEXT NOT NULL
    );

    -- The table of prompts has the rows of those that something has happened to and that are not settled;
    -- of those whose number another prompt had first; and of those that were settled before this version.
  `,
};

const contentParts: Migration = {
  version: 5,
  // Older releases would read content that is stored in parts as empty.
  lowestVersion: 5,
  sql: `
    -- Large contents, in parts that are written one by one: a single write would block everything else.
    -- The row of bodies or uploads that such a content belongs to has an empty content.
    CREATE TABLE parts (
      hash TEXT NOT NULL,
      part INTEGER NOT NULL,
      content BLOB NOT NULL,
      UNIQUE (hash, part)
    );
  `,
};

const treesOfPrompts: Migration = {
  version: 6,
  // Older releases would drop the tree of prompts from a lane's state.
  lowestVersion: 6,
  sql: `
    -- A lane's state leads to the live descendants of its prompts: nothing of the schema changes.
  `,
};

const accounts: Migration = {
  version: 7,
  // Older releases would run steps without charging them to the budgets.
  lowestVersion: 7,
  sql: `
    -- Budgets and caps (P6): what was spent of each, and its limit. Only a step below one writes it.
    CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL
    ) WITHOUT ROWID;
  `,
};

const textTermsOfVersion8 = `
    CREATE VIRTUAL TABLE text_terms USING fts5(
      terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
`;

const searchIndex: Migration = {
  version: 8,
  lowestVersion: 7,
  sql: `
    -- Places of the texts in the search index. The id is never reused, because terms of a removed text may still be
    -- in the index. A delete of a session removes these rows in its own commit.
    CREATE TABLE texts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      lane INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      at INTEGER NOT NULL
    );
    CREATE INDEX texts_of_lane ON texts (lane);
    ${textTermsOfVersion8}
  `,
};

const beginningsOfTerms: Migration = {
  version: 9,
  lowestVersion: 7,
  sql: `
    -- The search index also stores the beginnings of terms. It is emptied; the server fills it again.
    DELETE FROM texts;
    DELETE FROM meta WHERE key = 'search_mark';
    DROP TABLE IF EXISTS text_terms;
    ${createTextTerms}
  `,
};

/** All migrations, in order. A published migration never changes. */
export const migrations: readonly Migration[] = [
  lanesAndLog,
  currentSessions,
  sessionsInOrder,
  settledPrompts,
  contentParts,
  treesOfPrompts,
  accounts,
  searchIndex,
  beginningsOfTerms,
];
