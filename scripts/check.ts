import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { showHelp } from "./read-arguments.ts";
import { runNode } from "./run-node.ts";
import { runTests } from "./run-tests.ts";
import { checkTypes } from "./types/check-types.ts";

showHelp(`npm run check

Runs the gate, stage by stage: format, lint, types, generated files, tests. Stops at the first stage that
fails.`);

interface Stage {
  name: string;
  run: () => Promise<number>;
  hint: string;
}

const stages: Stage[] = [
  {
    name: "format",
    run: () => runNode(["node_modules/oxfmt/bin/oxfmt", "--check", "."]),
    hint: "`npm run format` fixes it",
  },
  {
    name: "lint",
    run: () => runNode(["node_modules/oxlint/bin/oxlint", "--type-aware", "--deny-warnings"]),
    hint: "`npm run lint` shows it again, `npm run lint -- --fix` fixes what it can",
  },
  {
    name: "types",
    run: checkTypes,
    hint: "`npm run types` shows it again",
  },
  {
    name: "generated files",
    run: async () =>
      (await runNode(["scripts/generate-sdk-types.ts", "--check"])) ||
      (await runNode(["scripts/generate-config-schema.ts", "--check"])) ||
      (await runNode(["scripts/generate-reference.ts", "--check"])),
    hint: "`npm run generate` writes it again",
  },
  {
    name: "tests of the sandbox on a machine without bubblewrap",
    run: testWithoutSandbox,
    hint: "`npm test -- --without-bwrap` shows it again",
  },
];

process.exitCode = (await runStages()) ?? (await finish());

/** Runs all checks except the full test run. Stops at the first check that fails, and returns its exit code. */
async function runStages(): Promise<number | undefined> {
  for (const { name, run, hint } of stages) {
    const start = performance.now();
    const code = await run();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (code !== 0) {
      console.error(`check: ${name} failed after ${seconds} s: ${hint}`);
      return code;
    }
    console.log(`check: ${name} passed in ${seconds} s`);
  }
  return undefined;
}

/**
 * Runs the sandbox tests without bubblewrap. The full run at the end uses bubblewrap if it is installed, so this run
 * covers the other case.
 */
async function testWithoutSandbox(): Promise<number> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, "bwrap")))) {
    return runNode(["scripts/test.ts", "--without-bwrap"]);
  }
  console.log("check: bubblewrap is not installed: tests that need a sandbox will be skipped");
  return 0;
}

/** Runs the tests. They run last, so that the output ends with the test counts, and they print their own time. */
function finish(): Promise<number> {
  console.log("check: tests (`npm test` runs them alone)");
  return runTests([]);
}
