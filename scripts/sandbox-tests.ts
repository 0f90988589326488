import { globSync, readFileSync } from "node:fs";

/** Matches the text of test files that ask for the sandbox or expect its words in an output. */
const usesSandbox = /needs-sandbox|bwrap|ran without a sandbox/;

/** Test files whose outcome may depend on whether the machine has bubblewrap. */
export function sandboxTests(): string[] {
  return globSync("packages/*/test/**/*.test.ts")
    .filter((file) => !file.includes("/package/") && usesSandbox.test(readFileSync(file, "utf8")))
    .toSorted();
}
