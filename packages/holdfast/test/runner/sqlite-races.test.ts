import { test } from "node:test";
import { races } from "./races/races.ts";
import { openSqlitePlace } from "./support/place.ts";

for (const { name, settings, play } of races) {
  test(`${name} (SQLite)`, async (t) => {
    await play(await openSqlitePlace(t, settings));
  });
}
