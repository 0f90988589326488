import { runNode } from "../run-node.ts";

/** The web page has globals and a syntax of its own, so it is a project of its own. */
const projects = [".", "packages/web"];

/** Checks the types of everything; answers the first exit code that is not 0. */
export async function checkTypes(): Promise<number> {
  for (const project of projects) {
    const code = await runNode(["node_modules/typescript/bin/tsc", "--noEmit", "-p", project]);
    if (code !== 0) return code;
  }
  return 0;
}
