import { join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";

/** Parses files (path to text) with TypeScript's own parser, without types and without the disk. */
export function parseFiles(files: ReadonlyMap<string, string>): Map<string, SourceFile> {
  const names = [...files.keys()];
  const config = { compilerOptions: { noLib: true, noResolve: true, types: [] }, files: names };
  const fs = createVirtualFileSystem({
    "/source/tsconfig.json": JSON.stringify(config),
    ...Object.fromEntries([...files].map(([name, text]) => [placeOf(name), text])),
  });
  const api = new API({ cwd: "/source", fs });
  try {
    const [project] = api.updateSnapshot({ openProject: "/source/tsconfig.json" }).getProjects();
    return new Map(
      names.map((name) => {
        const source = project?.program.getSourceFile(placeOf(name));
        if (source === undefined) throw new Error(`cannot parse ${name}`);
        return [name, source];
      }),
    );
  } finally {
    api.close();
  }
}

function placeOf(name: string): string {
  return name.startsWith("/") ? name : join("/source", name);
}
