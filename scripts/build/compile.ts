import { join } from "node:path";
import { runNode } from "../run-node.ts";

const compiler = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

/** Compiles a TypeScript project into a folder. */
export async function compile(project: string, target: string): Promise<void> {
  const code = await runNode([compiler, "-p", project, "--outDir", target]);
  if (code !== 0) throw new Error(`tsc failed for ${project}`);
}
