import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isGuarded } from "../../../src/agent/tools/paths.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

test("data folder: tools recognize the folder by its inode, not only by its name", async (t) => {
  const root = realpathSync(scratchFolder(t, "guarded"));
  const data = join(root, "data");
  mkdirSync(join(data, "deep"), { recursive: true });
  // A second name of the same folder, as on a disk that ignores case.
  const alias = join(root, "alias");
  symlinkSync(data, alias);
  assert.deepEqual(
    [
      await isGuarded(join(alias, "deep", "new.txt"), [data]),
      await isGuarded(join(root, "database"), [data]),
      await isGuarded(root, [data]),
      await isGuarded(data, [join(root, "absent")]),
    ],
    [true, false, false, false],
  );
});
