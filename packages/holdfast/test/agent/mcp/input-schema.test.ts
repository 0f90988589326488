import assert from "node:assert/strict";
import { test } from "node:test";
import { toInputSchema } from "../../../src/agent/mcp/input-schema.ts";

const text = { type: "string" };

function schemaOf(given: unknown): unknown {
  const { schema, problem } = toInputSchema(given, 20_000);
  assert.equal(problem, null);
  return schema;
}

test("a choice at the top level, which providers reject, becomes a list of properties with a description", () => {
  assert.deepEqual(
    schemaOf({
      type: "object",
      description: "Finds it.",
      properties: { project: text },
      required: ["project"],
      anyOf: [{ required: ["paths"] }, { required: ["scopes"] }],
    }),
    {
      type: "object",
      description:
        'Finds it.\nThe arguments must also fit: {"anyOf":[{"required":["paths"]},{"required":["scopes"]}]}',
      properties: { project: text },
      required: ["project"],
    },
  );
  const [one, two] = [
    { type: "object", properties: { kind: { const: "a" }, id: text }, required: ["kind", "id"] },
    { type: "object", properties: { kind: { const: "b" }, id: text }, required: ["kind"] },
  ];
  assert.deepEqual(schemaOf({ oneOf: [{ $ref: "#/$defs/one" }, two], $defs: { one } }), {
    type: "object",
    description: `The arguments must also fit: ${JSON.stringify({ oneOf: [{ $ref: "#/$defs/one" }, two] })}`,
    properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, id: text },
    $defs: { one },
  });
  assert.deepEqual(schemaOf({ $ref: "#/definitions/all", definitions: { all: one } }), {
    ...one,
    definitions: { all: one },
  });
  // The properties of a schema in `allOf` always apply, so they stay required.
  assert.deepEqual(schemaOf({ allOf: [one] }), {
    ...one,
    description: `The arguments must also fit: ${JSON.stringify({ allOf: [one] })}`,
  });
});

test("keywords of older drafts are converted, and invalid values are dropped", () => {
  assert.deepEqual(
    schemaOf({
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 9, default: 1 },
        pair: { type: "array", items: [text, { type: "number" }] },
        any: { type: ["array", "null"], description: null, title: 7, examples: "x", enum: [] },
        nested: { type: "object", properties: { list: { type: "array" } }, required: ["gone"] },
      },
      required: ["age", "gone"],
    }),
    {
      type: "object",
      properties: {
        age: { type: "integer", exclusiveMinimum: 0, maximum: 9, default: 1 },
        pair: { type: "array", items: { anyOf: [text, { type: "number" }] } },
        any: { type: ["array", "null"], items: {} },
        nested: { type: "object", properties: { list: { type: "array", items: {} } } },
      },
      required: ["age"],
    },
  );
});

test("a property whose name providers reject is renamed, and the server gets its own name back", () => {
  const { schema, renamed } = toInputSchema(
    { type: "object", properties: { $filter: text, "a.b-c": text }, required: ["$filter"] },
    20_000,
  );
  const [name = ""] = Object.keys(renamed);
  assert.match(name, /^_filter_[\da-f]{8}$/);
  assert.deepEqual(schema, {
    type: "object",
    properties: { [name]: text, "a.b-c": text },
    required: [name],
  });
  assert.deepEqual(renamed, { [name]: "$filter" });
});
