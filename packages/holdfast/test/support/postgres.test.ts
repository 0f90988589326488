import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

test("PostgreSQL starts and leaves no folder if only root can write to TMPDIR", async (t) => {
  const folder = changeTmpdir(t, 0o755);
  const server = await startPostgres();
  await server.stop();
  assert.deepEqual(readdirSync(folder), []);
});

test("PostgreSQL's user can use its folder if only root can enter TMPDIR", (t) => {
  changeTmpdir(t, 0o700);
  const user = serverUser();
  const folder = makeFolder(user);
  t.after(() => rmSync(folder, { recursive: true }));
  execFileSync("touch", [join(folder, "log")], { ...user });
});

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
