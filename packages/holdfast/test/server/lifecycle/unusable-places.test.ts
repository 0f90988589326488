import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openReader } from "../../../src/compose/stores.ts";
import { SetupError } from "../../../src/server/setup-error.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import { openTestServer } from "../security/test-server.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

test("an unusable data folder or store is refused by name", async (t) => {
  const folder = scratchFolder(t, "places");
  const file = join(folder, "file");
  writeFileSync(file, "");
  const good = { store: join(folder, "store.db"), dataFolder: join(folder, "data") };
  const data = `the folder ${file} cannot be used: the path contains a file or a broken link instead of a folder; name another folder with --data`;
  const store = `the folder ${file} cannot be created: the path contains a file or a broken link instead of a folder; name another file with --store`;
  const cases = [
    { settings: { ...good, dataFolder: file }, error: new SetupError("unusableFolder", data) },
    {
      settings: { ...good, store: join(file, "a.db") },
      error: new StoreError("storeInvalid", store),
    },
  ];
  for (const { settings, error } of cases) {
    const { code, message } = error;
    await assert.rejects(openTestServer(t, settings), { code, message });
  }
});

test("a folder, or a path below a file, cannot be read as a store", async (t) => {
  const folder = scratchFolder(t, "places");
  writeFileSync(join(folder, "file"), "");
  const cases = {
    [folder]: `${folder} is a folder; name the store's file with --store`,
    [join(folder, "file", "a.db")]:
      `there is no store at ${folder}/file/a.db yet; ` +
      "create one with `holdfast run`, or name another with --store",
  };
  for (const [address, message] of Object.entries(cases)) {
    await assert.rejects(openReader(address), { code: "storeInvalid", message });
  }
});
