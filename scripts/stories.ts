import { runTests } from "./run-tests.ts";

/** Whole stories at the terminal and on the page. `npm test` contains only the short ones. */
process.exitCode = await runTests(process.argv.slice(2), [
  "packages/terminal/test/**/*.{test,story}.ts",
  "packages/web/test/**/*.test.ts",
]);
