import { globSync } from "node:fs";
import { matchesGlob, normalize } from "node:path";
import { runNode } from "./run-node.ts";

const places = ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"];

/** `npm test`: everything, or the files that the words name; options go to Node's test runner. */
export async function runTests(words: string[]): Promise<number> {
  const options = words.filter((word) => word.startsWith("-"));
  const wanted = words.filter((word) => !word.startsWith("-"));
  const files = chooseFiles(globSync(places).toSorted(), wanted);
  if (files.length === 0) {
    console.error(`holdfast: no test file matches ${wanted.join(" ")}`);
    return 1;
  }
  return runNode(["--test", "--test-concurrency=2", "--test-reporter=spec", ...options, ...files]);
}

/** A word chooses a file by its path, by a glob, or by any part of its path. */
export function chooseFiles(files: string[], words: string[]): string[] {
  if (words.length === 0) return files;
  const patterns = words.map(normalize);
  return files.filter((file) =>
    patterns.some((pattern) => file.includes(pattern) || matchesGlob(file, pattern)),
  );
}
