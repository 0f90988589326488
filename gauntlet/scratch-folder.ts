import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders = new Set<string>();
process.on("exit", () => folders.forEach(remove));

/**
 * Creates a directory for one scenario. It is removed at the end of the scenario or of this
 * process.
 */
export function openScratchFolder(): { readonly path: string; readonly close: () => void } {
  const path = mkdtempSync(join(tmpdir(), "gauntlet-"));
  folders.add(path);
  return {
    path,
    close: () => {
      remove(path);
      folders.delete(path);
    },
  };
}

function remove(path: string): void {
  // Processes left by a target may still be writing.
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
