import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder and returns its real path. The folder is removed after the test. */
export function scratchFolder(test: { after(work: () => void): void }, name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-${name}-`)));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
