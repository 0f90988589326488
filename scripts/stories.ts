import { runTests } from "./run-tests.ts";

/**
 * `npm run stories` runs the long end-to-end tests of the command line, the terminal client and the web page.
 * `npm test` runs only the short tests.
 */
process.exitCode = await runTests(process.argv.slice(2), [
  "packages/holdfast/test/**/*.story.ts",
  "packages/terminal/test/**/*.{test,story}.ts",
  "packages/web/test/**/*.{test,story}.ts",
]);
