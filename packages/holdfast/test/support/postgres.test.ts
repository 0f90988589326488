import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeFolder, serverUser, startPostgres } from "./postgres.ts";
import { scratchFolder } from "./scratch-folder.ts";

/** Creates an empty folder for temporary files, until the end of the test. */
function changeTmpdir(t: TestContext, mode: number): string {
  const before = tmpdir();
  const folder = scratchFolder(t, "tmpdir");
  chmodSync(folder, mode);
  process.env["TMPDIR"] = folder;
  t.after(() => (process.env["TMPDIR"] = before));
  return folder;
}

for (const mode of [0o700, 0o755]) {
  test(`PostgreSQL's user can use and delete its folder if TMPDIR has mode ${mode.toString(8)}`, (t) => {
    changeTmpdir(t, mode);
    const user = serverUser();
    const folder = makeFolder(user);
    const script = 'touch "$1/log" && rm -rf "$1"';
    execFileSync("sh", ["-c", script, "sh", folder], { ...user });
    assert.equal(existsSync(folder), false);
  });
}

test("a wrong folder of PostgreSQL programs is named in the error, and no folder is left", async (t) => {
  const folder = changeTmpdir(t, 0o1777);
  process.env["HOLDFAST_TEST_POSTGRES_PROGRAMS"] = "/missing";
  await assert.rejects(startPostgres(), {
    message:
      "HOLDFAST_TEST_POSTGRES_PROGRAMS: there is no initdb in /missing; " +
      "name the folder of the PostgreSQL programs, such as native/bin of the package",
  });
  assert.deepEqual(readdirSync(folder), []);
});
