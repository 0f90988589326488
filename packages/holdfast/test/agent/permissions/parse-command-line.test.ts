import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCommandLine } from "../../../src/agent/permissions/shell/parse-command-line.ts";

/** Commands as lists of words; a wildcard as `glob:` and its start, anything else as `open`. */
function commandsIn(text: string): readonly (readonly string[])[] {
  return parseCommandLine(text).commands.map(({ words }) =>
    words.map(({ kind, value }) =>
      kind === "literal" ? value : kind === "glob" ? `glob:${value}` : "open",
    ),
  );
}

test("a list of plain commands is parsed word by word", () => {
  const cases: [string, string[][]][] = [
    ["ls", [["ls"]]],
    ["  ls\t-l \\\n a ", [["ls", "-l", "a"]]],
    ["a && b || c | d; e\nf\n\ng;", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]],
    ["a &&\n b", [["a"], ["b"]]],
    ["# it's\na b#c # d", [["a", "b#c"]]],
    ["a 'b c' \"d e\" f\\ g '' 'h'\"i\"j", [["a", "b c", "d e", "f g", "", "hij"]]],
    ['a "\\"\\\\\\$\\`\\n$" \'\\\'', [["a", '"\\$`\\n$', "\\"]]],
    ["a \\>\\&\\;", [["a", ">&;"]]],
    ["a 2>&1 >/dev/null b < /dev/null 2> /dev/null", [["a", "b"]]],
    ["a *.ts src/*.ts src/[ab] x?", [["a", "glob:", "glob:src/", "glob:src/", "glob:x"]]],
    ["a '*' \\* \"?\"", [["a", "*", "*", "?"]]],
    ["a HEAD~1 HEAD^ HEAD@{1} {} !", [["a", "HEAD~1", "HEAD^", "HEAD@{1}", "{}", "!"]]],
    ["[ -f x ]", [["[", "-f", "x", "]"]]],
    ["'if' a", [["if", "a"]]],
  ];
  for (const [text, commands] of cases) {
    assert.deepEqual(
      [parseCommandLine(text).unexplained, commandsIn(text)],
      [null, commands],
      text,
    );
  }
});

test("any other line has a reason, and its commands are still found", () => {
  const cases: [string, reason: RegExp, string[][]][] = [
    ["a & b", /background/, [["a"], ["b"]]],
    ["a > b", /writes to a file/, [["a"]]],
    ["a 2>&1x", /writes to a file/, [["a"]]],
    ["a < b", /reads from a file/, [["a"]]],
    ["A=b c", /sets a variable/, [["c"]]],
    ["a $B ${C}", /value that only the shell knows/, [["a", "open", "open"]]],
    ['a "$B"', /value that only the shell knows/, [["a", "open"]]],
    ['a "$(b; c)"', /uses its output/, [["b"], ["c"], ["a", "open"]]],
    ["a `b`", /uses its output/, [["b"], ["a", "open"]]],
    ["a <(b)", /runs a command/, [["b"], ["a", "open"]]],
    ["(a; b)", /group/, [["a"], ["b"]]],
    ["{ a; }", /not a plain command/, [["a"]]],
    ["if a; then b; else c; fi", /not a plain command/, [["a"], ["b"], ["c"]]],
    ["while a; do b; done", /not a plain command/, [["a"], ["b"]]],
    ["for x in rm y; do b; done", /not a plain command/, [["b"]]],
    ["! a", /not a plain command/, [["a"]]],
    ["a {b,c}", /not in quotes/, [["a", "open"]]],
    ["a ~ x=~", /home folder/, [["a", "open", "open"]]],
    ["a é", /not in quotes/, [["a", "é"]]],
    ["a\u00a0b", /not in quotes/, [["a\u00a0b"]]],
    ["a* b", /not literal/, [["glob:a", "b"]]],
  ];
  for (const [text, reason, commands] of cases) {
    const { unexplained, opaque } = parseCommandLine(text);
    assert.match(unexplained ?? "", reason, text);
    assert.deepEqual([opaque, commandsIn(text)], [false, commands], text);
  }
});

test("syntax that the parser does not follow, or that shells read differently, is opaque", () => {
  for (const text of [
    "",
    ";",
    "# only a comment",
    "a &&",
    "| a",
    "a ;; b",
    "a |& b",
    "a &> b",
    "a &>> b",
    "a >&2>&1",
    "a >/dev/null>b",
    "a 'b",
    'a "b',
    "a `b",
    "a \\",
    "a b\\\nc",
    "a;\\\nb",
    '"a\\\nb"',
    "a )",
    "(a",
    "a (b)",
    "f() { a; }",
    "function f { a; }",
    "case a in b) c;; esac",
    "coproc a",
    "select x in a; do b; done",
    "[[ a ]]",
    "((a))",
    "a $((b))",
    "a ${b:-c}",
    "a $'b'",
    'a $"b"',
    "a <<x\nb\nx",
    "a <<<b",
    "a `b \\` c`",
    "a\rb",
    "a '\u0001'",
    'a "\u007f"',
    "a # b \\\nc",
    'a "é\\" b',
    "a \ud800",
    `a ${"$(b ".repeat(30)}`,
    "a ".repeat(20_000),
  ]) {
    const { opaque, unexplained } = parseCommandLine(text);
    assert.deepEqual([opaque, typeof unexplained], [true, "string"], text.slice(0, 50));
  }
});
