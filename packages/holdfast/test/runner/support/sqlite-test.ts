import { test } from "node:test";
import { openSqlitePlace } from "./place.ts";
import type { Place } from "./place.ts";

/** A test on a SQLite place of its own, with a session `main` and one runtime. */
export function sqliteTest(name: string, play: (place: Place) => Promise<void>): void {
  void test(name, async (t) => play(await openSqlitePlace(t)));
}
