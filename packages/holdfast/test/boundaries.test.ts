import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Row {
  /** Folders of src that may be imported, besides the own one. */
  folders: string[];
  /** Folders from which only types may be imported. */
  types?: string[];
  /** Packages that may be imported; every package and node:* when absent. */
  packages?: string[];
}

// The table of docs/ARCHITECTURE.md. Without a row: main.ts, which builds the program and may import
// everything, and index.ts, the package's public edge, which only passes on.
const table: Record<string, Row> = {
  kernel: { folders: [], packages: [] },
  store: { folders: ["kernel"] },
  agent: { folders: [], types: ["kernel"] },
  workspace: { folders: ["agent"], types: ["kernel"] },
  runner: { folders: ["kernel", "store", "agent", "workspace"] },
  contract: { folders: [], packages: ["zod"] },
  server: { folders: ["runner", "contract"], types: ["kernel"] },
  cli: { folders: ["main.ts"] },
};

const importPattern =
  /^\s*(?:import|export)\s+(?<type>type\s)?(?:[^;"']*?\sfrom\s+)?["'](?<from>[^"']+)["']|\bimport\(\s*["'`](?<dynamic>[^"'`]+)/gm;

function violations(file: string, source: string): string[] {
  const folder = file.split("/")[0] ?? "";
  if (file === "main.ts" || file === "index.ts") return [];
  const row = table[folder];
  if (row === undefined) return [`${file}: ${folder} has no row in the import table`];
  return [...source.matchAll(importPattern)].flatMap(({ groups }) => {
    const target = groups?.["from"] ?? groups?.["dynamic"] ?? "";
    const isType = groups?.["type"] !== undefined;
    return isAllowed({ file, folder, row, target, isType }) ? [] : [`${file} imports ${target}`];
  });
}

function isAllowed(options: {
  file: string;
  folder: string;
  row: Row;
  target: string;
  isType: boolean;
}): boolean {
  const { file, folder, row, target, isType } = options;
  if (!target.startsWith(".")) {
    const isOwn = target === "holdfast" || target.startsWith("holdfast/");
    return !isOwn && (row.packages?.includes(target) ?? true);
  }
  const to = join(file, "..", target).split("/")[0] ?? "";
  return to === folder || row.folders.includes(to) || (isType && (row.types ?? []).includes(to));
}

test("every file in src imports only what its folder's row names", () => {
  const src = join(import.meta.dirname, "../src");
  const files = globSync("**/*.{ts,mts,cts,js,mjs,cjs}", { cwd: src }).toSorted();
  assert.ok(files.includes("main.ts"), "the source folder was not found");
  assert.deepEqual(
    files.flatMap((file) => violations(file, readFileSync(join(src, file), "utf8"))),
    [],
  );
});

test("an import that the table does not name is found, in each of its forms", () => {
  const cases: [file: string, source: string, found: string[]][] = [
    ["kernel/decide.ts", `import { open } from "node:fs";`, ["kernel/decide.ts imports node:fs"]],
    [
      "kernel/decide.ts",
      `import {\n  a,\n  b,\n} from "../store/port.ts";`,
      ["kernel/decide.ts imports ../store/port.ts"],
    ],
    [
      "kernel/a/b.ts",
      `export * from "../../agent/port.ts";`,
      ["kernel/a/b.ts imports ../../agent/port.ts"],
    ],
    ["kernel/a/b.ts", `export type { State } from "../state.ts";`, []],
    [
      "kernel/decide.ts",
      `const fs = await import("node:fs");`,
      ["kernel/decide.ts imports node:fs"],
    ],
    [
      "kernel/decide.ts",
      `import "../../../../bench/main.ts";`,
      ["kernel/decide.ts imports ../../../../bench/main.ts"],
    ],
    ["store/port.ts", `import { decide } from "../kernel/decide.ts";\nimport pg from "pg";`, []],
    [
      "store/port.ts",
      `import { decide } from "holdfast/kernel";`,
      ["store/port.ts imports holdfast/kernel"],
    ],
    ["agent/port.ts", `import type { Run } from "../kernel/run.ts";`, []],
    [
      "agent/port.ts",
      `import { decide } from "../kernel/decide.ts";`,
      ["agent/port.ts imports ../kernel/decide.ts"],
    ],
    [
      "contract/prompt.ts",
      `import { z } from "zod";\nimport pg from "pg";`,
      ["contract/prompt.ts imports pg"],
    ],
    [
      "server/app.ts",
      `import { open } from "../store/port.ts";`,
      ["server/app.ts imports ../store/port.ts"],
    ],
    ["cli/serve.ts", `import { serve } from "../main.ts";`, []],
    ["shared/util.ts", ``, ["shared/util.ts: shared has no row in the import table"]],
    ["util.ts", ``, ["util.ts: util.ts has no row in the import table"]],
  ];
  assert.deepEqual(
    cases.map(([file, source]) => violations(file, source)),
    cases.map(([, , found]) => found),
  );
});
