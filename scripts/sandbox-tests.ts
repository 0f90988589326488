import { globSync, readFileSync } from "node:fs";

/** Text in a test file that uses the sandbox, or runs commands of a model, which use it where it works. */
const usesSandbox = /sandbox|bwrap|"shell"/;

/** Test files whose outcome may depend on whether the machine has bubblewrap. */
export function sandboxTests(): string[] {
  return globSync("packages/*/test/**/*.test.ts")
    .filter((file) => !file.includes("/package/") && usesSandbox.test(readFileSync(file, "utf8")))
    .toSorted();
}
