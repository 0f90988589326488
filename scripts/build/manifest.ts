import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The package.json of a workspace package, as it is published. */
export async function manifestOf(source: string, published: object): Promise<string> {
  const workspace: object = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  return `${JSON.stringify({ ...workspace, ...published }, null, 2)}\n`;
}
