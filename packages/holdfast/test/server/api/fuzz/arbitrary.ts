import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { referenceName } from "../../../../src/contract/json-schema.ts";
import type { JsonSchema } from "../../../../src/contract/json-schema.ts";
import type { OpenApi } from "../../../../src/server/openapi.ts";

/** Realistic values by field name; random values would test only validation. */
export type Pools = Readonly<Record<string, readonly unknown[]>>;

/** Values that match a schema of the document. */
export function valuesOf(document: OpenApi, pools: Pools) {
  const values = (schema: JsonSchema, name = ""): Arbitrary<unknown> => {
    const pool = pools[name];
    const plain = plainValues(schema);
    if (pool === undefined) return plain;
    // Only short waits: random numbers would wait for long.
    if (name === "wait") return fc.constantFrom(...pool);
    return fc.oneof(
      { weight: 15, arbitrary: fc.constantFrom(...pool) },
      { weight: 1, arbitrary: plain },
    );
  };
  const plainValues = (schema: JsonSchema): Arbitrary<unknown> => {
    const { $ref, enum: choices, items, type } = schema;
    if ($ref !== undefined) {
      return values(document.components.schemas[referenceName($ref)] ?? {});
    }
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (choices !== undefined) return fc.constantFrom(...choices);
    const cases = schema.anyOf ?? schema.oneOf;
    if (cases !== undefined) return fc.oneof(...cases.map((one) => values(one)));
    if (items !== undefined) return fc.array(values(items), { maxLength: 3 });
    const types = typeof type === "string" ? [type] : (type ?? []);
    return types.length === 0
      ? fc.jsonValue({ maxDepth: 3 })
      : fc.oneof(...types.map((one) => typed(one, schema)));
  };
  const typed = (type: string, schema: JsonSchema): Arbitrary<unknown> => {
    const { minimum: min = 0, maximum: max = Number.MAX_SAFE_INTEGER } = schema;
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
      case "number":
        return fc.double({ min, noNaN: true, noDefaultInfinity: true });
      case "string":
        return fc.string({ unit: "binary", minLength: schema.minLength ?? 0, maxLength: 40 });
      default:
        return objects(schema);
    }
  };
  const objects = ({ properties, required = [] }: JsonSchema): Arbitrary<unknown> => {
    if (properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue());
    const fields: Record<string, Arbitrary<unknown>> = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, values(field, name)]),
    );
    return fc.record(fields, { requiredKeys: [...required] });
  };
  return values;
}

/** Unusual texts for paths, queries and headers. */
export const oddTexts: Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("..", ".", "a/b", "../..", "\0", "%", "%2F", "-1", "1e9", "NaN", "now", "null"),
  fc.constantFrom("__proto__", "constructor", "9".repeat(30), "a".repeat(201), "😀", " ", "true"),
);

/** The same value with one part made invalid. */
export function spoilt(value: unknown): Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 2 });
  if (typeof value !== "object" || value === null || Array.isArray(value)) return anything;
  const keys = Object.keys(value);
  return fc.oneof(
    anything,
    anything.map((more) => ({ ...value, unknownField: more })),
    ...(keys.length === 0
      ? []
      : [
          fc
            .tuple(fc.constantFrom(...keys), anything)
            .map(([key, other]) => ({ ...value, [key]: other })),
          fc.constantFrom(...keys).map((key) => {
            const rest = Object.entries(value).filter(([name]) => name !== key);
            return Object.fromEntries(rest);
          }),
        ]),
  );
}
