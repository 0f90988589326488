import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keys } from "../src/commands/help-view.ts";

test("the help lists every key of the documentation", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/TERMINAL.md"), "utf8");
  const [, section = ""] = /\n## Keys\n([^]*?)\n## /.exec(page) ?? [];
  const named = new Set(section.match(/(?:Ctrl|Alt|Shift)-(?:\w+|↑↓?)|Esc(?: Esc)?|Tab\b/g));
  assert.ok(named.size > 12, [...named].join());
  const text = keys.flat().join("\n");
  assert.deepEqual(
    [...named].filter((key) => !text.includes(key)),
    [],
  );
});
