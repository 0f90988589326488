import type { Migration } from "../migrate.ts";

const lanesAndLog: Migration = {
  version: 1,
  lowestVersion: 1,
  sql: `
    CREATE TABLE meta (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      store_id uuid NOT NULL DEFAULT gen_random_uuid(),
      version integer NOT NULL,
      lowest_version integer NOT NULL
    );

    -- The one clock of leases, deadlines and events, in milliseconds.
    CREATE FUNCTION holdfast_now() RETURNS bigint LANGUAGE sql VOLATILE AS
      $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

    -- A session's lane: its state, what a process that looks for work needs to know of it, and what
    -- lists of sessions filter and sort by. Of these no index is kept that each commit would touch.
    -- Texts of people are kept as json: unlike text and jsonb it takes every string there is.
    CREATE TABLE lanes (
      session_id text COLLATE "C" PRIMARY KEY,
      seq bigint NOT NULL,
      directory json NOT NULL,
      parent text COLLATE "C",
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      deleted boolean NOT NULL,
      archived boolean NOT NULL,
      search text COLLATE "C" NOT NULL,
      ready text,
      ready_at bigint,
      due_at bigint,
      owner text COLLATE "C",
      state json NOT NULL
    );
    CREATE INDEX lanes_ready ON lanes (ready_at) WHERE ready IS NOT NULL;
    CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX lanes_owned ON lanes (owner) WHERE owner IS NOT NULL;
    CREATE INDEX lanes_children ON lanes (parent) WHERE parent IS NOT NULL;

    -- A position is drawn while the lane's row is locked, so within a session it follows seq.
    CREATE TABLE events (
      session_id text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,
      position bigint GENERATED ALWAYS AS IDENTITY,
      tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
      commit_id uuid NOT NULL,
      type text NOT NULL,
      subject text COLLATE "C",
      at bigint NOT NULL,
      event json NOT NULL,
      PRIMARY KEY (session_id, seq)
    );
    CREATE UNIQUE INDEX events_position ON events (position);
    CREATE INDEX events_tx ON events (tx);
    -- Behind the rules: what may happen to a prompt, a run or a work once only.
    CREATE UNIQUE INDEX events_once ON events (session_id, subject, type)
      WHERE subject IS NOT NULL;

    CREATE TABLE prompts (
      session_id text COLLATE "C" NOT NULL,
      prompt_id text COLLATE "C" NOT NULL,
      accept_seq bigint NOT NULL,
      entry jsonb NOT NULL,
      PRIMARY KEY (session_id, prompt_id)
    );
    CREATE UNIQUE INDEX prompts_in_order ON prompts (session_id, accept_seq);

    CREATE TABLE asks (
      session_id text COLLATE "C" NOT NULL,
      ask_id text COLLATE "C" NOT NULL,
      opened_at bigint NOT NULL,
      open boolean NOT NULL,
      entry jsonb NOT NULL,
      PRIMARY KEY (session_id, ask_id)
    );
    CREATE INDEX asks_open ON asks (opened_at) WHERE open;

    CREATE TABLE cancels (
      session_id text COLLATE "C" NOT NULL,
      cancel_id text COLLATE "C" NOT NULL,
      receipt jsonb NOT NULL,
      PRIMARY KEY (session_id, cancel_id)
    );

    CREATE TABLE bodies (
      hash text COLLATE "C" PRIMARY KEY,
      content bytea NOT NULL
    );

    -- Leases: a process lives while ended_at is null and expires_at is ahead.
    CREATE TABLE nodes (
      node_id text COLLATE "C" PRIMARY KEY,
      join_id uuid NOT NULL,
      ttl bigint NOT NULL,
      expires_at bigint NOT NULL,
      ended_at bigint
    );

    -- What belongs to the store as a whole, such as tokens. A write that is repeated after a lost
    -- answer knows itself by its write_id.
    CREATE TABLE records (
      kind text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      version bigint NOT NULL,
      value json NOT NULL,
      updated_at bigint NOT NULL,
      write_id uuid NOT NULL,
      PRIMARY KEY (kind, id)
    );

    -- Contents on their way into a prompt, until they are swept.
    CREATE TABLE uploads (
      hash text COLLATE "C" PRIMARY KEY,
      media_type json NOT NULL,
      name json NOT NULL,
      uploaded_at bigint NOT NULL,
      content bytea NOT NULL
    );
  `,
};

const currentSessions: Migration = {
  version: 2,
  lowestVersion: 1,
  sql: `
    -- What people mostly list: archived sessions cost lists nothing.
    CREATE INDEX lanes_current ON lanes (session_id) WHERE NOT deleted AND NOT archived;
  `,
};

const whatNodesKnow: Migration = {
  version: 3,
  lowestVersion: 1,
  sql: `
    -- The highest schema version that the node's program knows. Programs that know none of this
    -- column know 2.
    ALTER TABLE nodes ADD COLUMN knows integer NOT NULL DEFAULT 2;
  `,
};

const sessionsInOrder: Migration = {
  version: 4,
  lowestVersion: 1,
  sql: `
    -- Lists in their order.
    CREATE INDEX lanes_in_order ON lanes (deleted, archived, updated_at, session_id);
    DROP INDEX lanes_current;

    -- For the lists of directories with few sessions. By a number: a path may be too long for an index.
    CREATE INDEX lanes_in_directory ON lanes (hashtextextended(directory::text, 0));
  `,
};

const idleLanes: Migration = {
  version: 5,
  lowestVersion: 1,
  sql: `
    -- The lane's seq, where it is plainly idle. Programs that know nothing of it move seq alone, so a
    -- lane that they have written to counts as one of which this is not known.
    ALTER TABLE lanes ADD COLUMN idle_seq bigint;
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
    -- Charges are added to what is spent. The version counts all other changes: each is made to what was read.
    CREATE TABLE accounts (
      id text PRIMARY KEY,
      version bigint NOT NULL,
      input_tokens double precision NOT NULL,
      output_tokens double precision NOT NULL,
      cost double precision NOT NULL,
      account jsonb NOT NULL
    );
  `,
};

const searchIndex: Migration = {
  version: 8,
  lowestVersion: 7,
  sql: `
    -- Texts of the search index, with their terms and labels. A delete of a session removes its rows in its own commit.
    CREATE TABLE texts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      session_id text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,
      slot integer NOT NULL,
      at bigint NOT NULL,
      terms tsvector NOT NULL
    );
    CREATE INDEX texts_of_session ON texts (session_id);
    CREATE INDEX texts_in_time ON texts (at);
    CREATE INDEX texts_terms ON texts USING gin (terms);

    -- The feed cursor up to which the index is complete.
    CREATE TABLE search_mark (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      mark text
    );
    INSERT INTO search_mark DEFAULT VALUES;
  `,
};

export const migrations: readonly Migration[] = [
  lanesAndLog,
  currentSessions,
  whatNodesKnow,
  sessionsInOrder,
  idleLanes,
  treesOfPrompts,
  accounts,
  searchIndex,
];
