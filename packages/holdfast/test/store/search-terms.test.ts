import assert from "node:assert/strict";
import { test } from "node:test";
import { createMatcher } from "../../src/runtime/views/snippet.ts";
import { directoryLabel, directoryLabels } from "../../src/store/search/labels.ts";
import { indexTerms, parseQuery } from "../../src/store/search/terms.ts";

test("identifiers are indexed as a whole and in parts", () => {
  for (const [text, terms] of [
    ["getUserName", ["getusername", "get", "user", "name"]],
    ["HTTPServer2Go", ["httpserver2go", "http", "server2", "go"]],
    ["MAX_RETRY-count", ["max", "retry", "count"]],
    ["fs.readFile()", ["fs", "readfile", "read", "file"]],
    ["Ünïcode", ["unicode"]],
    ["ΟΔΟΣ", ["οδοσ"]],
    ["会话React框架", ["会话", "话", "react", "框架", "架"]],
    ["안녕하세요", ["안녕", "녕하", "하세", "세요", "요"]],
    ["…!? \uD800", []],
    ["a".repeat(100), ["a".repeat(64)]],
  ] as const) {
    assert.deepEqual(indexTerms(text), terms, text);
  }
});

test("every word of a text is found by the terms of a query for it", () => {
  for (const text of [
    "readFile",
    "user_name",
    "会话管理",
    "a.b.cD",
    "日",
    "Straße",
    "x".repeat(90),
  ]) {
    const stored = indexTerms(`before ${text} after`);
    const { terms } = parseQuery(text);
    assert.ok(terms.length > 0);
    for (const { text: term, isPrefix } of terms) {
      assert.ok(
        stored.some((known) => (isPrefix ? known.startsWith(term) : known === term)),
        `${text}: ${term}`,
      );
    }
    assert.notEqual(createMatcher(parseQuery(text))(`before ${text} after`), null, text);
  }
});

test("a long text is indexed in part and in time", () => {
  const text = Array.from({ length: 200_000 }, (_, index) => `w${index}`).join(" ");
  const start = performance.now();
  assert.ok(indexTerms(text).length <= 5_010);
  assert.ok(performance.now() - start < 2_000);
});

test("a snippet marks the match in the original text", () => {
  const text = `${"x ".repeat(200)}der große Straßenname heißt ＲｅａｄＦｉｌｅ und mehr ${"y ".repeat(200)}`;
  const parts = createMatcher(parseQuery("readfile"))(text) ?? [];
  assert.deepEqual(
    parts.filter(({ isMatch }) => isMatch).map((part) => part.text),
    ["ＲｅａｄＦｉｌｅ"],
  );
  assert.ok(parts.map((part) => part.text).join("").length <= 260);
});

test("a directory has the labels of its parents, and of no neighbour", () => {
  const labels = directoryLabels("/a/b/c");
  for (const parent of ["/", "/a", "/a/", "/a/b", "/a/b/c"]) {
    assert.ok(labels.includes(directoryLabel(parent)), parent);
  }
  for (const other of ["/a/b/c/d", "/b", "/a/bc"]) {
    assert.ok(!labels.includes(directoryLabel(other)), other);
  }
});
