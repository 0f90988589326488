import type { Migration } from "../../migrate.ts";

export const lanesAndLog: Migration = {
  version: 1,
  lowestVersion: 1,
  sql: `
    CREATE TABLE meta (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID;

    -- A session's lane: its state, and what a process that looks for work needs to know of it.
    CREATE TABLE lanes (
      session_id TEXT NOT NULL PRIMARY KEY,
      seq INTEGER NOT NULL,
      directory TEXT NOT NULL,
      ready TEXT,
      ready_at INTEGER,
      due_at INTEGER,
      owner TEXT,
      state TEXT NOT NULL
    );
    CREATE INDEX lanes_ready ON lanes (ready_at) WHERE ready IS NOT NULL;
    CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX lanes_owned ON lanes (owner) WHERE owner IS NOT NULL;

    -- Only ever appended to, by one writer: a later position is a later commit.
    CREATE TABLE events (
      position INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      type TEXT NOT NULL,
      subject TEXT,
      at INTEGER NOT NULL,
      data TEXT NOT NULL,
      UNIQUE (session_id, seq)
    );
    -- Behind the rules: what may happen to a prompt or a run once only, by the id of either.
    CREATE UNIQUE INDEX events_once ON events (session_id, subject, type)
      WHERE subject IS NOT NULL;

    -- The ledger. A prompt's row is found by its id through the event that brought the prompt. With a
    -- rowid: rows are appended, while rows of this size within an index would rebalance it each time.
    CREATE TABLE prompts (
      session_id TEXT NOT NULL,
      accept_seq INTEGER NOT NULL,
      row TEXT NOT NULL,
      PRIMARY KEY (session_id, accept_seq)
    );

    CREATE TABLE asks (
      session_id TEXT NOT NULL,
      ask_id TEXT NOT NULL,
      row TEXT NOT NULL,
      PRIMARY KEY (session_id, ask_id)
    ) WITHOUT ROWID;

    CREATE TABLE cancels (
      session_id TEXT NOT NULL,
      cancel_id TEXT NOT NULL,
      receipt TEXT NOT NULL,
      PRIMARY KEY (session_id, cancel_id)
    ) WITHOUT ROWID;

    CREATE TABLE bodies (
      hash TEXT NOT NULL PRIMARY KEY,
      content BLOB NOT NULL
    );

    -- Leases: a process lives while ended_at is null and expires_at is ahead.
    CREATE TABLE nodes (
      node_id TEXT NOT NULL PRIMARY KEY,
      ttl INTEGER NOT NULL,
      renewed_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER
    ) WITHOUT ROWID;
  `,
};
