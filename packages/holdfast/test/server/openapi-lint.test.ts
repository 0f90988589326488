import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openapiDocument } from "../../src/server/openapi.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

interface Report {
  readonly totals: { readonly errors: number };
  readonly problems: readonly { readonly ruleId: string; readonly severity: string }[];
}

test("the recommended rules of Redocly find no error in the OpenAPI document", async (t) => {
  const folder = scratchFolder(t, "openapi");
  const file = join(folder, "openapi.json");
  const problems = await lint(file, openapiDocument("1.2.3"));
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "error"),
    [],
  );
  // The parts of an event stream have names, but OpenAPI cannot say which stream sends them.
  assert.deepEqual([...new Set(problems.map(({ ruleId }) => ruleId))], ["no-unused-components"]);
  const { servers: _, ...broken } = openapiDocument("1.2.3");
  const found = await lint(file, broken);
  assert.ok(found.some(({ ruleId }) => ruleId === "no-empty-servers"));
});

async function lint(file: string, document: object): Promise<Report["problems"]> {
  writeFileSync(file, JSON.stringify(document));
  const cli = fileURLToPath(
    new URL("bin/cli.js", import.meta.resolve("@redocly/cli/package.json")),
  );
  const environment = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const output = await new Promise<string>((resolve) => {
    const words = [cli, "lint", "--extends=recommended", "--format=json", file];
    const env = { ...process.env, ...environment };
    // The linter exits with 1 if it finds an error.
    execFile(process.execPath, words, { env, maxBuffer: 2 ** 24 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const report: Report = JSON.parse(output);
  return report.problems;
}
