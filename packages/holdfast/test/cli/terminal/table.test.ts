import assert from "node:assert/strict";
import { test } from "node:test";
import { fitTable } from "../../../src/cli/terminal/table.ts";
import type { Column } from "../../../src/cli/terminal/table.ts";
import { cutTo, outputWidth, widthOf } from "../../../src/cli/terminal/width.ts";

const columns: readonly Column[] = [
  { title: "ID" },
  { title: "STATUS", cut: "end", least: 10 },
  { title: "TITLE", cut: "end", least: 12 },
  { title: "DIRECTORY", optional: 1, cut: "middle", least: 12 },
];
const rows = [
  ["4f2a91c0", "idle", "修复不稳定的测试并更新文档", "/data/ann/projects/holdfast"],
  ["77b1", "needs you: waiting for an answer", "🙂 emoji and e\u0301 accents", "/srv/a"],
];

test("every line of a table fits the width, also with wide characters", () => {
  for (let width = 1; width <= 140; width += 1) {
    for (const line of fitTable(columns, rows, width)) {
      assert.ok(widthOf(line) <= width, `${width}: ${line}`);
    }
  }
});

test("cells are shortened before a column is left out", () => {
  assert.deepEqual(fitTable(columns, rows, 60), [
    "ID        STATUS           TITLE            DIRECTORY",
    "4f2a91c0  idle             修复不稳定的测…  /data/an…oldfast",
    "77b1      needs you: wai…  🙂 emoji and é…  /srv/a",
  ]);
  const [wide = ""] = fitTable(columns, rows, Infinity);
  assert.match(wide, /DIRECTORY$/);
  const [narrow = ""] = fitTable(columns, rows, 40);
  assert.match(narrow, /TITLE$/);
});

test("a width counts CJK and emoji twice and accents not at all", () => {
  const texts = ["abc", "测试", "🙂", "e\u0301", "👩‍👩‍👧", "ﾊﾟ", "Ｆ"];
  assert.deepEqual(texts.map(widthOf), [3, 4, 2, 1, 2, 1, 2]);
  assert.equal(cutTo("修复不稳定", 6), "修复…");
  assert.equal(cutTo("anthropic/claude-4", 9, "middle"), "anth…de-4");
});

test("a terminal that reports no columns has no limit, unless COLUMNS is set", (t) => {
  const before = Object.getOwnPropertyDescriptor(process.stdout, "columns");
  const { COLUMNS } = process.env;
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(process.stdout, "columns");
    else Object.defineProperty(process.stdout, "columns", before);
    if (COLUMNS === undefined) delete process.env["COLUMNS"];
    else process.env["COLUMNS"] = COLUMNS;
  });
  Object.defineProperty(process.stdout, "columns", { value: 0, configurable: true });
  delete process.env["COLUMNS"];
  assert.equal(outputWidth(), Infinity);
  process.env["COLUMNS"] = "60";
  assert.equal(outputWidth(), 60);
});
