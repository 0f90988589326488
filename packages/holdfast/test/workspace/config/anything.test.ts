import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  assert as holds,
  boolean,
  constant,
  constantFrom,
  double,
  integer,
  letrec,
  nat,
  oneof,
  property,
  string,
  tuple,
} from "fast-check";
import { parseAgent, parseCommand, parseMain } from "../../../src/workspace/config/parse-entry.ts";
import { configJsonSchema } from "../../../src/workspace/config/json-schema.ts";
import type { Notice } from "../../../src/workspace/loader.ts";

const keys = [...JSON.stringify(configJsonSchema()).matchAll(/"([\w$]+)":\{/g)].map(
  ([, key = ""]) => key,
);

/** Keys of the config, and other words. */
const word = oneof(constantFrom(...keys, "__proto__", "constructor"), string());
const value = letrec((tie) => ({
  any: oneof(
    { maxDepth: 5, withCrossShrink: true },
    oneof(word, double(), integer(), boolean(), constant(null)),
    array(tie("any"), { maxLength: 3 }),
    array(tuple(word, tie("any")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any;

/** Replaces or removes a part of the config, like unfinished edits. */
const damaged = tuple(value, nat(), nat(20), string({ maxLength: 5 })).map(
  ([content, at, length, text]) => {
    const whole = JSON.stringify(content) ?? "";
    const from = at % (whole.length + 1);
    return whole.slice(0, from) + text + whole.slice(from + length);
  },
);

/** Checks that each notice has a position and no control characters. */
function expectPlaces(notices: readonly Notice[]): void {
  for (const { file, line, column, key, message } of notices) {
    assert.equal(file, "file");
    assert.ok(line !== null && line >= 1 && column !== null && column >= 1);
    assert.doesNotMatch(`${key} ${message}`, /\p{Cc}/u);
  }
}

test("M6: any config file is accepted or refused, and each error has its position", () => {
  holds(
    property(
      oneof(
        damaged,
        value.map((content) => JSON.stringify(content)),
      ),
      (text) => {
        const { source, notices, value: taken } = parseMain("file", text);
        expectPlaces(notices);
        const isRefused = notices.some(({ severity }) => severity === "error");
        assert.ok(isRefused || (source !== null && typeof taken === "object"));
      },
    ),
    { numRuns: 200 },
  );
});

test("M6: any markdown file is accepted or refused, and each error has its position", () => {
  const front = oneof(damaged, string(), string({ unit: "grapheme" }));
  holds(
    property(front, string(), (head, body) => {
      for (const parse of [parseAgent, parseCommand]) {
        const { entry, notices } = parse("file", `---\n${head}\n---\n${body}`);
        expectPlaces(notices);
        assert.ok(entry !== null || notices.some(({ severity }) => severity === "error"));
      }
    }),
    { numRuns: 200 },
  );
});
