import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ensureInstalled, InstallFailed, staleReason } from "../bootstrap/install.mjs";

const finished = (root: string): boolean => {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  return true;
};

function project(context: TestContext): string {
  context.mock.method(console, "log", () => {});
  const root = mkdtempSync(join(tmpdir(), "holdfast-install-"));
  context.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "packages/one"), { recursive: true });
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "package.json"), `{"name":"root"}`);
  writeFileSync(join(root, "packages/one/package.json"), `{"name":"one"}`);
  return root;
}

test("a fresh clone installs exactly once", async (context) => {
  const root = project(context);
  const installs: string[] = [];
  const install = (at: string): boolean => installs.push(at) > 0 && finished(at);
  await ensureInstalled(root, install);
  await ensureInstalled(root, install);
  assert.deepEqual(installs, [root]);
  assert.equal(existsSync(join(root, ".install-lock")), false);
});

test("a failed install is repeated", async (context) => {
  const root = project(context);
  await ensureInstalled(root, finished);
  writeFileSync(join(root, "package-lock.json"), `{"changed":true}`);
  const half = (at: string): boolean => !finished(at);
  await assert.rejects(ensureInstalled(root, half), InstallFailed);
  assert.equal(staleReason(root), "node_modules has no mark of a finished install");
  await ensureInstalled(root, finished);
  assert.equal(staleReason(root), undefined);
});

test("a changed lock file or package triggers an install, a changed script does not", async (context) => {
  const root = project(context);
  const changed = "node_modules was installed for other dependencies or another platform";
  const after = async (path: string, text: string): Promise<string | undefined> => {
    await ensureInstalled(root, finished);
    writeFileSync(join(root, path), text);
    return staleReason(root);
  };
  assert.deepEqual(
    [
      await after("package-lock.json", `{"packages":{}}`),
      await after("packages/one/package.json", `{"name":"one","dependencies":{"pg":"8"}}`),
      await after("package.json", `{"name":"root","scripts":{"test":"node"}}`),
    ],
    [changed, changed, undefined],
  );
});

test("the lock of a process that is gone is taken over", async (context) => {
  const root = project(context);
  writeFileSync(join(root, ".install-lock"), "0");
  await ensureInstalled(root, finished);
  assert.equal(staleReason(root), undefined);
});
