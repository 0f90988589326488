import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch } from "../src/commands/search-filter.ts";

test("typed filters become filters of the search, and other words are searched for", () => {
  const typed =
    'flaky "connection reset" --kind prompt,answer --since 2026-11-01 --dir "a b" --archived';
  assert.deepEqual(parseSearch(typed, "/project"), {
    status: "search",
    query: {
      q: 'flaky "connection reset"',
      kind: ["prompt", "answer"],
      since: Date.parse("2026-11-01"),
      directory: "/project/a b",
      archived: true,
    },
  });
  assert.deepEqual(parseSearch("--until 2026-11-02 --session s1 x", "/project"), {
    status: "search",
    query: { q: "x", until: Date.parse("2026-11-02"), session: "s1" },
  });
});

test("a filter without a valid value says what it needs", () => {
  for (const [typed, message] of [
    ["x --kind", /^--kind needs one or more of title, prompt, /],
    ["x --kind prompt,no", /^--kind needs one or more of title, prompt, /],
    ["x --since soon", /^--since needs a date such as /],
    ["x --what", /^Unknown filter --what\. Filters: --kind, /],
  ] as const) {
    const parsed = parseSearch(typed, "/project");
    assert(parsed.status === "invalid", typed);
    assert.match(parsed.message, message);
  }
  assert.deepEqual(parseSearch(" --archived ", "/project"), { status: "empty" });
});
