import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("npm test names a wrong folder of PostgreSQL programs once, and runs no test", () => {
  const env = { ...process.env, HOLDFAST_TEST_POSTGRES_PROGRAMS: "/missing" };
  const words = ["scripts/test.ts", "postgres-room"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  assert.deepEqual(
    [status, stdout, stderr],
    [
      1,
      "",
      "holdfast: HOLDFAST_TEST_POSTGRES_PROGRAMS: there is no initdb in /missing; " +
        "name the folder of the PostgreSQL programs, such as native/bin of the package\n",
    ],
  );
});
