import { cp, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { compile } from "./compile.ts";

/**
 * Writes the type declarations (`.d.ts`) of a package's entry file and of all files that the entry file imports,
 * directly or indirectly. Returns the names of the packages that the written files import.
 */
export async function writeDeclarations(options: {
  source: string;
  target: string;
}): Promise<ReadonlySet<string>> {
  const { source, target } = options;
  const all = `${target}.all`;
  try {
    await compile(join(source, "tsconfig.build.json"), all);
    const files = new Set([join(all, "index.d.ts")]);
    const packages = new Set<string>();
    // The loop also visits files that are added to the set during the loop.
    for (const file of files) {
      for (const from of importsOf(await readFile(file, "utf8"))) {
        if (from.startsWith(".")) {
          files.add(join(dirname(file), from.replace(/\.ts$/, ".d.ts")));
        } else if (!from.startsWith("node:")) {
          packages.add(from);
        }
      }
    }
    for (const file of files) await cp(file, join(target, relative(all, file)));
    return packages;
  } finally {
    await rm(all, { recursive: true, force: true });
  }
}

const importPattern =
  /^\s*(?:import|export)\b[^;"']*?\bfrom\s+"(?<from>[^"]+)"|\bimport\("(?<type>[^"]+)"\)/gm;

function importsOf(declarations: string): string[] {
  return [...declarations.matchAll(importPattern)].map(
    ({ groups }) => groups?.["from"] ?? groups?.["type"] ?? "",
  );
}
