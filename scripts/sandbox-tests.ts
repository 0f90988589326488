import { globSync, readFileSync } from "node:fs";

/** Matches the text of test files that use the sandbox directly, or through commands of a model. */
const usesSandbox = /sandbox|bwrap|"shell"/;

/** Test files whose outcome may depend on whether the machine has bubblewrap. */
export function sandboxTests(): string[] {
  return globSync("packages/*/test/**/*.test.ts")
    .filter((file) => !file.includes("/package/") && usesSandbox.test(readFileSync(file, "utf8")))
    .toSorted();
}
