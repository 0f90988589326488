import assert from "node:assert/strict";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openJsonFile } from "../../../src/runtime/copies/json-file.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const pieces = [
  "plain",
  'quotes " and \\ and / and \n',
  "\u0000\u001f",
  "é漢字",
  "😀",
  "\ud83d",
  "\ude00",
];

test("a string that is decoded in pieces equals the string that JSON.parse returns", (t) => {
  const fileOf = fileWriter(t);
  for (const escape of [false, true]) {
    for (const piece of pieces) {
      // The limit of a piece falls on every offset of the repeated unit.
      for (const unit of [piece, `${piece}a`, `ab${piece}`]) {
        for (const shift of [0, 1, 2, 3, 4, 5, 6]) {
          const text = "x".repeat(shift) + unit.repeat(10) + "end";
          const json = escape ? escaped(text) : JSON.stringify(text);
          const file = openJsonFile(fileOf(json), { pieceBytes: 16 });
          const expected = Buffer.from(String(JSON.parse(json)));
          const found = Buffer.from(file.text(file.whole(), "it"));
          assert.ok(found.equals(expected), JSON.stringify({ unit, shift, escape }));
        }
      }
    }
  }
});

test("a string that is not valid JSON is refused", (t) => {
  const fileOf = fileWriter(t);
  for (const json of ['"\\x"', '"\\u12"', '"\\u12g4"', '"a\nb"']) {
    const file = openJsonFile(fileOf(json));
    assert.throws(() => file.text(file.whole(), "it"), /not valid JSON/, json);
  }
  const invalid = openJsonFile(fileOf(Buffer.from([0x22, 0xff, 0x22])));
  assert.throws(() => invalid.text(invalid.whole(), "it"), /not valid JSON/);
  const number = openJsonFile(fileOf("12"));
  assert.throws(() => number.text(number.whole(), "it"), /expected a string/);
});

function escaped(text: string): string {
  const codes = Array.from({ length: text.length }, (_, place) => text.charCodeAt(place));
  const units = codes.map((code) =>
    code >= 0x61 && code <= 0x7a
      ? String.fromCharCode(code)
      : `\\u${code.toString(16).padStart(4, "0")}`,
  );
  return `"${units.join("")}"`;
}

/** Each file replaces the last one. */
function fileWriter(t: TestContext): (content: string | Buffer) => number {
  const path = join(scratchFolder(t, "json"), "file.json");
  const file = openSync(path, "w+");
  t.after(() => closeSync(file));
  return (content) => {
    writeFileSync(path, content);
    return file;
  };
}
