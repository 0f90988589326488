import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses } from "../packages/holdfast/test/support/end-servers.ts";
import { runNode } from "./run-node.ts";
import { makeScratch } from "./scratch.ts";

// `npm run soak` runs soak/main.ts in a process of its own, so that no process and no file is left even after Ctrl-C.
// The files are on the disk, because processes are also killed while they wait for the disk.
const scratch = makeScratch(tmpdir());
process.env["TMPDIR"] = scratch.folder;
try {
  const main = join(import.meta.dirname, "soak", "main.ts");
  process.exitCode = await runNode([main, ...process.argv.slice(2)]);
} finally {
  endProcesses(scratch.folder);
  scratch.remove();
}
