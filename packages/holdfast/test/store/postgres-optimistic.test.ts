import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { done, openLane } from "./lane-client.ts";
import { untilWaiting } from "./waiting-statements.ts";

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("a writer with repeated conflicts locks the lane and then writes", async (t) => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  t.after(() => store.close());
  const lane = openLane(store, "s");
  await lane.create();
  // Simulates other writers that are always faster: a write without a lock finds no row to change.
  await queryOnce(
    url,
    `CREATE SEQUENCE holdfast.late;
    CREATE FUNCTION holdfast.come_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_LEVEL = 'STATEMENT' THEN
        PERFORM set_config('test.locked', (pg_current_xact_id_if_assigned() IS NOT NULL)::text, true);
        RETURN NULL;
      END IF;
      IF current_setting('test.locked')::boolean THEN RETURN NEW; END IF;
      PERFORM nextval('holdfast.late');
      RETURN NULL;
    END $$;
    CREATE TRIGGER look BEFORE UPDATE ON holdfast.lanes
      FOR EACH STATEMENT EXECUTE FUNCTION holdfast.come_late();
    CREATE TRIGGER come_late BEFORE UPDATE ON holdfast.lanes
      FOR EACH ROW EXECUTE FUNCTION holdfast.come_late()`,
  );
  done(await lane.send({ type: "session.rename", title: "named", auto: false }));
  assert.equal((await lane.state()).title, "named");
  const [row] = await queryOnce<{ times: string }>(
    url,
    "SELECT last_value AS times FROM holdfast.late",
  );
  assert.equal(Number(row?.times), 3);
});

test("C4 a cancel whose id another process commits at the same time returns that receipt", async (t) => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const other = new Client({ connectionString: url });
  await other.connect();
  t.after(() => Promise.all([other.end(), store.close()]));
  const lane = openLane(store, "s");
  await lane.create();
  const { receipt } = done(await lane.cancel("first"));
  const theirs = { ...receipt, cancelId: "same", at: 1 };
  await other.query("BEGIN");
  await other.query("INSERT INTO holdfast.cancels VALUES ('s', 'same', $1)", [theirs]);
  const cancelling = lane.cancel("same");
  await untilWaiting(url, 1);
  await other.query("COMMIT");
  assert.deepEqual(done(await cancelling).receipt, theirs);
});
