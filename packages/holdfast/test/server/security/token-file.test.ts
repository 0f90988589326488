import assert from "node:assert/strict";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writePrivateFile } from "../../../src/base/private-file.ts";
import { keepPrivateFolder, readTokenFile } from "../../../src/server/security/token-file.ts";
import { SetupError } from "../../../src/server/setup-error.ts";
import { newSecret } from "../../../src/server/security/token.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("the token file and its folder can be read only by their owner", async (t) => {
  const folder = join(scratchFolder(t, "token"), "holdfast");
  keepPrivateFolder(folder);
  const file = join(folder, "token");
  const { secret } = newSecret();
  assert.equal(readTokenFile(file), null);
  await writePrivateFile(file, `${secret}\n`);
  assert.equal(readTokenFile(file), secret);
  assert.deepEqual([modeOf(folder), modeOf(file)], ["700", "600"]);
});

test("a data folder that others can read is made private", (t) => {
  const folder = join(scratchFolder(t, "token"), "open");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  keepPrivateFolder(folder);
  assert.equal(modeOf(folder), "700");
});

test("a token file that others can read, or without a token, is refused with a reason", (t) => {
  const folder = scratchFolder(t, "token");
  const problem = (file: string): string => {
    try {
      readTokenFile(file);
    } catch (error) {
      assert.ok(error instanceof SetupError);
      return error.message.replace(folder, "");
    }
    return "none";
  };
  const [shared, linked, empty] = ["shared", "linked", "empty"].map((name) => join(folder, name));
  assert.ok(shared !== undefined && linked !== undefined && empty !== undefined);
  writeFileSync(shared, newSecret().secret, { mode: 0o600 });
  symlinkSync(shared, linked);
  writeFileSync(empty, "", { mode: 0o600 });
  chmodSync(shared, 0o640);
  assert.deepEqual([shared, linked, empty].map(problem), [
    "/shared can be read by others (mode 640); remove it, so that the server creates a new token, and revoke the old one",
    "/linked is not a regular file; remove it",
    "/empty does not contain a token; remove the file",
  ]);
});
