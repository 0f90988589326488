import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a generated file. With --check it writes nothing and fails if the file is stale. */
export function generateFile(options: { path: string; content: string; source: string }): void {
  const { path, content, source } = options;
  const file = join(import.meta.dirname, "..", path);
  if (!process.argv.includes("--check")) {
    writeFileSync(file, content);
  } else if (readOrEmpty(file) !== content) {
    console.error(`${path} does not match ${source}. Run: npm run generate`);
    process.exitCode = 1;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
