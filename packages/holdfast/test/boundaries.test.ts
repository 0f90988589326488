import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Row {
  /** Folders of src that may be imported, besides the folder itself. */
  folders: string[];
  /** Single files of other folders that may be imported. */
  files?: string[];
  /** Folders from which only types may be imported. */
  types?: string[];
  /** Packages that may be imported, `node:*` for all modules of Node. Absent: every package. */
  packages?: string[];
}

// The table of docs/ARCHITECTURE.md. Two have no row: compose/, which builds the program and may import
// everything, and index.ts, which only exports what the package offers.
const table: Record<string, Row> = {
  base: { folders: [], packages: ["node:*"] },
  kernel: { folders: [], packages: [] },
  store: { folders: ["base", "kernel"] },
  agent: { folders: ["base"], types: ["kernel"] },
  workspace: { folders: ["base", "agent"], types: ["kernel"] },
  log: { folders: ["base", "kernel", "store"], types: ["agent"] },
  runner: { folders: ["base", "kernel", "store", "agent", "workspace", "log"] },
  contract: { folders: [], packages: ["zod"] },
  runtime: { folders: ["base", "kernel", "store", "agent", "workspace", "log", "runner"] },
  server: {
    folders: ["base", "log", "runtime", "contract"],
    files: [
      "kernel/decide/maintenance.ts",
      "kernel/directories.ts",
      "kernel/event-table.ts",
      "kernel/notice.ts",
      "kernel/session-status.ts",
      "runner/command-refused.ts",
      "runner/maintenance/maintenance.ts",
      "store/body.ts",
      "store/session-list.ts",
      "store/store-error.ts",
      "store/update-record.ts",
      "workspace/loader.ts",
    ],
    types: ["kernel", "store", "runner"],
  },
  "mcp-server": {
    folders: [],
    packages: [
      "@holdfast/sdk",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/server/stdio",
      "zod",
    ],
  },
  cli: {
    folders: ["base", "compose"],
    files: [
      "agent/agent.ts",
      "agent/model/known-providers.ts",
      "agent/model/model-facts.ts",
      "agent/model/protocol-names.ts",
      "agent/tools/binary.ts",
      "kernel/state.ts",
      "kernel/validate.ts",
      "mcp-server/stdio.ts",
      "server/config-schema-file.ts",
      "server/setup-error.ts",
      "store/doctor/doctor.ts",
      "store/doctor/findings.ts",
      "store/store-error.ts",
      "workspace/loader.ts",
    ],
    types: ["agent", "runtime"],
  },
};

const importPattern =
  /^\s*(?:import|export)\s+(?<type>type\s)?(?:[^;"']*?\sfrom\s+)?["'](?<from>[^"']+)["']|\bimport\(\s*["'`](?<dynamic>[^"'`]+)/gm;

function violations(file: string, source: string): string[] {
  const folder = file.split("/")[0] ?? "";
  if (["index.ts", "compose"].includes(folder)) return [];
  const row = table[folder];
  if (row === undefined) return [`${file}: ${folder} has no row in the import table`];
  return importsOf(source).flatMap(({ target, isType }) =>
    isAllowed({ file, folder, row, target, isType }) ? [] : [`${file} imports ${target}`],
  );
}

function importsOf(source: string): { target: string; isType: boolean }[] {
  return [...source.matchAll(importPattern)].map(({ groups }) => ({
    target: groups?.["from"] ?? groups?.["dynamic"] ?? "",
    isType: groups?.["type"] !== undefined,
  }));
}

/** The SDK runs in browsers and has no dependencies: it imports only its own files. */
function sdkViolations(file: string, source: string): string[] {
  return importsOf(source).flatMap(({ target }) =>
    target.startsWith(".") && !join(file, "..", target).startsWith("..")
      ? []
      : [`${file} imports ${target}`],
  );
}

function filesOf(folder: string): [file: string, source: string][] {
  const files = globSync("**/*.{ts,mts,cts,js,mjs,cjs}", { cwd: folder }).toSorted();
  return files.map((file) => [file, readFileSync(join(folder, file), "utf8")]);
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
    const name = target.startsWith("node:") ? "node:*" : target;
    return !isOwn && (row.packages?.includes(name) ?? true);
  }
  const path = join(file, "..", target);
  const to = path.split("/")[0] ?? "";
  if (to === folder || row.folders.includes(to) || row.files?.includes(path)) return true;
  return isType && (row.types ?? []).includes(to);
}

test("every file in src imports only the folders that its table row names", () => {
  const files = filesOf(join(import.meta.dirname, "../src"));
  assert.ok(
    files.some(([file]) => file === "index.ts"),
    "the source folder was not found",
  );
  assert.deepEqual(
    files.flatMap(([file, source]) => violations(file, source)),
    [],
  );
});

const rawTime = /\b(?:setTimeout|setInterval|Date\.now|performance\.now|AbortSignal\.timeout)\b/g;

test("the runner reads the time only from its clock parameter", () => {
  const files = filesOf(join(import.meta.dirname, "../src/runner"));
  assert.ok(files.length > 20, "the runner was not found");
  const found = files.flatMap(([file, source]) =>
    [...source.matchAll(rawTime)].map(([name]) => `${file} uses ${name}`),
  );
  assert.deepEqual(found, []);
});

test("the SDK imports nothing but its own files", () => {
  const files = filesOf(join(import.meta.dirname, "../../sdk/src"));
  assert.ok(
    files.some(([file]) => file === "types.gen.ts"),
    "the SDK was not found",
  );
  assert.deepEqual(
    files.flatMap(([file, source]) => sdkViolations(file, source)),
    [],
  );
  const bad = `import { a } from "node:fs";\nimport b from "b";\nimport "./c.ts";\nimport "../../d.ts";`;
  assert.deepEqual(sdkViolations("folder/a.ts", bad), [
    "folder/a.ts imports node:fs",
    "folder/a.ts imports b",
    "folder/a.ts imports ../../d.ts",
  ]);
});

test("an import that the table does not name is found, in every syntax", () => {
  const cases: [file: string, source: string, found: string[]][] = [
    [
      "base/time.ts",
      `import "node:fs";\nimport pg from "pg";\nimport "../kernel/state.ts";`,
      ["base/time.ts imports pg", "base/time.ts imports ../kernel/state.ts"],
    ],
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
    ["server/app.ts", `import type { Store } from "../store/port.ts";`, []],
    ["server/app.ts", `import { StoreError } from "../store/store-error.ts";`, []],
    ["compose/build.ts", `import { open } from "../store/port.ts";`, []],
    ["cli/serve.ts", `import { serve } from "../compose/serve.ts";`, []],
    ["shared/util.ts", ``, ["shared/util.ts: shared has no row in the import table"]],
    ["util.ts", ``, ["util.ts: util.ts has no row in the import table"]],
  ];
  assert.deepEqual(
    cases.map(([file, source]) => violations(file, source)),
    cases.map(([, , found]) => found),
  );
});
