import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { conformance } from "../conformance.ts";

conformance({
  name: "SQLite",
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
    let now = 1_700_000_000_000;
    const file = join(folder, "store.db");
    const openStore = () => openSqliteStore({ file, clock: () => now });
    let store = await openStore();
    return {
      get store() {
        return store;
      },
      peer: async () => store,
      advance: async (milliseconds) => {
        now += milliseconds;
      },
      async reopen() {
        await store.close();
        store = await openStore();
      },
      async indexRows() {
        const database = new DatabaseSync(file, { readOnly: true });
        // FTS5 has one row in `docsize` for each text whose terms are in the index.
        const counts = ["texts", "text_terms_docsize"].map((table) =>
          Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]),
        );
        database.close();
        return counts;
      },
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});
