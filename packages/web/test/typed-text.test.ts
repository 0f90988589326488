import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionAt } from "../src/model/mention-at.ts";
import { parseSlash } from "../src/model/slash-text.ts";

test("@ begins a mention after a space, a bracket or a Chinese character, and not in an email address", () => {
  assert.deepEqual(mentionAt("Explain @che"), { start: 8, words: "che" });
  assert.deepEqual(mentionAt("@"), { start: 0, words: "" });
  assert.deepEqual(mentionAt("(@src/a.ts"), { start: 1, words: "src/a.ts" });
  assert.deepEqual(mentionAt("查看@文件"), { start: 2, words: "文件" });
  assert.equal(mentionAt("查看@文件，然后"), null);
  for (const text of ["ann@example", "ann.b@example", "a+b@example", "@a b", "@@"]) {
    assert.equal(mentionAt(text), null, text);
  }
});

test("a text that begins with a root folder is a prompt, unless a command has this name", () => {
  const names = ["fork", "run"];
  assert.deepEqual(parseSlash("/fork", names), { name: "fork", rest: "" });
  assert.deepEqual(parseSlash("/run it\nnow", names), { name: "run", rest: "it\nnow" });
  assert.deepEqual(parseSlash("/frok it", names), { name: "frok", rest: "it" });
  assert.equal(parseSlash("/tmp is full", names), null);
  assert.equal(parseSlash("/run it", ["fork"]), null);
  assert.equal(parseSlash("/srv/www/x is broken", names), null);
});
