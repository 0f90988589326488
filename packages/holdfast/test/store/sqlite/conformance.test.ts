import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { conformance } from "../conformance.ts";

conformance({
  name: "SQLite",
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
    let now = 1_700_000_000_000;
    const openStore = () => openSqliteStore({ file: join(folder, "store.db"), clock: () => now });
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
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});
