import { hideProgram } from "./hide-program.ts";
import { showHelp } from "./read-arguments.ts";
import { runTests } from "./run-tests.ts";
import { sandboxTests } from "./sandbox-tests.ts";

const withoutSandbox = "--without-bwrap";

showHelp(`npm test -- [WORD...] [--without-bwrap] [options of node --test]

Runs the tests. Without a word, runs all short tests; npm run stories runs the long ones.

  WORD               Only test files whose path contains one of the words
  --without-bwrap    Test as on a machine without bubblewrap`);

const words = process.argv.slice(2);
process.exitCode = words.includes(withoutSandbox)
  ? await testWithoutSandbox(words.filter((word) => word !== withoutSandbox))
  : await runTests(words);

/**
 * Runs tests as on a machine without bubblewrap: the chosen files, or by default all files that depend on the
 * sandbox.
 */
async function testWithoutSandbox(chosen: string[]): Promise<number> {
  const hidden = hideProgram("bwrap", process.env["PATH"] ?? "");
  process.env["PATH"] = hidden.path;
  try {
    const isOnlyOptions = chosen.every((word) => word.startsWith("-"));
    return await runTests(isOnlyOptions ? [...chosen, ...sandboxTests()] : chosen);
  } finally {
    hidden.remove();
  }
}
