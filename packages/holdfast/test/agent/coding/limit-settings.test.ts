import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { limitSettings } from "../../../src/agent/coding/limit-settings.ts";
import { locate } from "../../../src/agent/tools/paths.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

test("a limited run can use allowed paths only inside its directories", async (t) => {
  const root = scratchFolder(t, "limits");
  const [project, shared, team] = ["project", "shared", "shared/team"].map((name) => {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "file"), "text");
    return join(root, name);
  });
  assert(project !== undefined && shared !== undefined && team !== undefined);
  const settings = { ...defaultToolSettings, allowedPaths: [shared] };
  const found = async (directories: readonly string[] | null): Promise<string[]> => {
    const scope = { directory: project, settings: limitSettings(settings, directories) };
    const places = await Promise.all(
      [project, shared, team].map((folder) => locate(join(folder, "file"), scope)),
    );
    return places.map(({ status }) => status);
  };
  assert.deepEqual(await found(null), ["found", "found", "found"]);
  assert.deepEqual(await found([project]), ["found", "refused", "refused"]);
  assert.deepEqual(await found([project, team]), ["found", "refused", "found"]);
  assert.deepEqual(await found([root]), ["found", "found", "found"]);
});
