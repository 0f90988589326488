import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../../src/cli/answer-schema/json-schema.ts";
import { printable } from "../../../src/cli/terminal/printable.ts";

test("a value is checked against every rule of the schema", () => {
  const tree = { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false };
  const cases: [schema: unknown, fits: unknown[], problems: [unknown, string][]][] = [
    [true, [1, null], []],
    [false, [], [[1, "the answer is not allowed"]]],
    [
      { type: ["integer", "null"] },
      [1, 2.0, null],
      [[1.5, "the answer must be integer or null, not number"]],
    ],
    [{ required: ["a"] }, [{ a: 1 }, "no object"], [[{}, "a is missing"]]],
    [
      { type: "object", properties: { a: { minimum: 1, exclusiveMaximum: 3 } } },
      [{ a: 1 }, { a: 2.9 }, { a: "x" }],
      [
        [{ a: 0 }, "a must be 1 or more"],
        [{ a: 3 }, "a must be less than 3"],
      ],
    ],
    [{ const: { a: [1] } }, [{ a: [1] }], [[{ a: [2] }, 'the answer must be {"a":[1]}']]],
    [
      { enum: [{ a: 1 }, null] },
      [{ a: 1 }, null],
      [[1, 'the answer must be one of [{"a":1},null]']],
    ],
    [
      { minLength: 2, maxLength: 2 },
      ["ab", "😀😀"],
      [["a", "the answer must have 2 characters or more"]],
    ],
    [{ pattern: "^a+$" }, ["aa", 1], [["ab", "the answer does not match ^a+$"]]],
    [{ multipleOf: 0.1 }, [0.3, 7], [[0.35, "the answer must be a multiple of 0.1"]]],
    [
      { prefixItems: [{ type: "string" }], items: false, uniqueItems: true },
      [["a"], []],
      [
        [["a", 1], "[1] is not allowed"],
        [[1], "[0] must be string, not integer"],
      ],
    ],
    [{ uniqueItems: true }, [[1, 2]], [[[{ a: 1 }, { a: 1 }], "the answer repeats an item"]]],
    [{ contains: { const: 1 } }, [[2, 1]], [[[2], 'the answer has 0 items that match "contains"']]],
    [
      { patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      [{ x1: 1 }],
      [
        [{ x1: "a" }, "x1 must be number, not string"],
        [{ y: 1 }, "y is not allowed"],
      ],
    ],
    [{ dependentRequired: { a: ["b"] } }, [{ a: 1, b: 1 }, {}], [[{ a: 1 }, "b is missing"]]],
    [
      { anyOf: [{ type: "string" }, { minimum: 5 }] },
      ["a", 5],
      [[1, 'the answer matches no schema of "anyOf"']],
    ],
    [
      { oneOf: [{ type: "number" }, { minimum: 5 }] },
      [1, "a"],
      [[6, 'the answer matches 2 schemas of "oneOf" instead of one']],
    ],
    [{ not: { type: "string" } }, [1], [["a", 'the answer matches the schema of "not"']]],
    [
      JSON.parse(
        '{ "if": { "type": "string" }, "then": { "minLength": 2 }, "else": { "const": 1 } }',
      ),
      ["ab", 1],
      [
        ["a", "the answer must have 2 characters or more"],
        [2, "the answer must be 1"],
      ],
    ],
    [
      tree,
      [{ next: { next: {} } }],
      [[{ next: { next: 1 } }, "next.next must be object, not integer"]],
    ],
    [{ $ref: "#" }, [], [[1, "the answer is nested too deeply"]]],
    [
      { properties: { toString: { type: "string" } }, required: ["toString"] },
      [{ toString: "x" }],
      [[{}, "toString is missing"]],
    ],
  ];
  for (const [schema, fits, problems] of cases) {
    const check = compileSchema(schema);
    for (const value of fits) assert.deepEqual(check(value), [], JSON.stringify([schema, value]));
    for (const [value, problem] of problems) assert.deepEqual(check(value), [problem]);
  }
});

test("a schema with unsupported keywords is refused, with their place", () => {
  const cases: [schema: unknown, message: string][] = [
    [5, "# is not a schema: it must be an object, true or false"],
    [
      { type: "strnig" },
      "#/type must be one of object, array, string, number, integer, boolean, null",
    ],
    [
      { properties: { a: 1 } },
      "#/properties/a is not a schema: it must be an object, true or false",
    ],
    [{ items: { unevaluatedProperties: false } }, "#/items/unevaluatedProperties is not supported"],
    [{ typo: 1 }, "#/typo is not supported"],
    [{ pattern: "(" }, "#/pattern: ( is not a regular expression"],
    [
      { $ref: "https://example.com/a" },
      "#: the reference https://example.com/a is not a path in this file",
    ],
    [{ $ref: "#/$defs/none" }, "#: the reference #/$defs/none points to nothing in this file"],
    [{ required: [1] }, "#/required must be a list of strings"],
    [{ minimum: "1" }, "#/minimum must be a number"],
  ];
  for (const [schema, message] of cases) assert.throws(() => compileSchema(schema), { message });
});

test("printable text cannot move the cursor, hide text or reverse it", () => {
  const text = "a\u001B[2Kb\rc\tand\nmore\u202Eend\u009B1m\r\n";
  assert.equal(printable(text), "a␛[2Kb␍c\tand\nmore\uFFFDend\uFFFD1m\n");
});
