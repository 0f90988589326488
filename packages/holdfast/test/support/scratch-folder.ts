import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own, by its real path; it goes with the test. */
export function scratchFolder(test: { after(work: () => void): void }, name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-${name}-`)));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
