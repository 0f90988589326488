import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../tools/workbench.ts";
import { fuzzShell, shellsHere } from "./fuzz/fuzz.ts";

test("no allowed command line starts a program that its rule does not name, in any shell here", async (t) => {
  const shells = shellsHere();
  t.diagnostic(`shells: ${shells.join(", ")}`);
  const folder = temporaryFolder(t);
  const { allowed, violations } = await fuzzShell({ seed: 17, lines: 300, folder, shells });
  assert.deepEqual({ allowed, violations }, { allowed: 300, violations: [] });
});
