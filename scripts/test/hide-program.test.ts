import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { hideProgram } from "../hide-program.ts";

test("a hidden program is not found in PATH; other programs in its folder are", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-hide-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [one, other] = [join(folder, "one"), join(folder, "other")];
  mkdirSync(one);
  for (const name of ["secret", "open"]) {
    writeFileSync(join(one, name), `#!/bin/sh\necho ${name}\n`, { mode: 0o755 });
  }
  symlinkSync("one", other);
  const path = [one, other, "/nowhere"].join(delimiter);
  const hidden = hideProgram("secret", path);
  t.after(() => hidden.remove());
  assert.deepEqual(
    [run("secret", path), run("secret", hidden.path), run("open", hidden.path)],
    ["secret", "none", "open"],
  );
});

function run(name: string, path: string): string {
  const { stdout, error } = spawnSync(name, { env: { PATH: path }, encoding: "utf8" });
  return error === undefined ? stdout.trim() : "none";
}
