import { after, before } from "node:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { queryOnce, startPostgres, stopClock } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { conformance } from "./conformance.ts";

let server: PostgresServer;
let url: string;
let schemas = 0;

before(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
});

after(() => server.stop());

conformance({
  name: "PostgreSQL",
  async open() {
    schemas += 1;
    const schema = `test_${schemas}`;
    const opened = new Set<Store>();
    const openStore = async (): Promise<Store> => {
      // The clock of the test moves by jumps, which an estimate would not follow.
      const opening = await openPostgresStore({ url, schema, connections: 3, clockAge: 0 });
      opened.add(opening);
      return opening;
    };
    const closeAll = async (): Promise<void> => {
      await Promise.all(Array.from(opened, (each) => each.close()));
      opened.clear();
    };
    let store = await openStore();
    const clock = await stopClock(url, { at: 1_700_000_000_000, schema });
    return {
      get store() {
        return store;
      },
      peer: openStore,
      advance: (milliseconds) => clock.advance(milliseconds),
      async reopen() {
        await closeAll();
        store = await openStore();
      },
      indexRows: async () => {
        const [row] = await queryOnce<{ rows: string }>(
          url,
          `SELECT count(*) AS rows FROM ${schema}.texts`,
        );
        return [Number(row?.rows)];
      },
      close: closeAll,
    };
  },
});
