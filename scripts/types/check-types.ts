import { runNode } from "../run-node.ts";

/** Projects to check. The web page is a separate project, because it has its own globals and syntax. */
const projects = [".", "packages/web"];

/** Checks the types of all projects. Returns 0, or the first other exit code. */
export async function checkTypes(): Promise<number> {
  for (const project of projects) {
    const code = await runNode(["node_modules/typescript/bin/tsc", "--noEmit", "-p", project]);
    if (code !== 0) return code;
  }
  return 0;
}
