import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ensurePackage } from "../../../../scripts/build/ensure-package.ts";
import { references } from "../../../../scripts/reference/references.ts";

const root = join(import.meta.dirname, "../../../..");

/** Values that examples use without declaring them. */
const context = `
import * as sdk from "@holdfast/sdk";
import * as runtimePackage from "holdfast";
declare const holdfast: sdk.Holdfast;
declare const session: sdk.SessionHandle;
declare const prompt: sdk.PromptHandle;
declare const error: unknown;
declare const agent: runtimePackage.Agent;
declare const actor: runtimePackage.Actor;
declare const loader: runtimePackage.WorkspaceLoader;
declare const runtime: runtimePackage.Runtime;
`;

test("every example of a doc comment compiles against the published types", async (t) => {
  const bin = await ensurePackage(root);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-examples-"));
  t.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(bin, "../../.."), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const examples = references().flatMap(({ declarations }, page) => {
    const from = page === 0 ? "@holdfast/sdk" : "holdfast";
    const names = (wanted: readonly string[]) =>
      declarations.filter(({ kind }) => wanted.includes(kind)).map(({ name }) => name);
    const values = names(["function", "class"]).join(", ");
    const types = names(["interface", "type"]).join(", ");
    return declarations.flatMap(({ name, examples }) =>
      examples.map((example, index) => ({
        file: `${name}-${index}.ts`,
        text: `import { ${values} } from "${from}";\nimport type { ${types} } from "${from}";\n${context}\nexport const run = async () => {\n${example}\n};\n`,
      })),
    );
  });
  assert.ok(examples.length > 20, "examples are missing");
  for (const { file, text } of examples) writeFileSync(join(folder, file), text);
  const settings = {
    compilerOptions: {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: "nodenext",
      target: "es2024",
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
    files: examples.map(({ file }) => file),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const problems = (() => {
    try {
      return execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    } catch (error) {
      return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    }
  })();
  assert.equal(problems, "");
});
