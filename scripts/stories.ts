import { showHelp } from "./read-arguments.ts";
import { runTests } from "./run-tests.ts";

showHelp(`npm run stories -- [WORD...] [options of node --test]

Runs the long end-to-end tests of the command line, the servers, the stores, the terminal client and
the web page, and the short tests of the last two. npm test runs only the short tests.

  WORD    Only test files whose path contains one of the words`);

process.exitCode = await runTests(process.argv.slice(2), [
  "packages/holdfast/test/**/*.story.ts",
  "packages/terminal/test/**/*.{test,story}.ts",
  "packages/web/test/**/*.{test,story}.ts",
]);
