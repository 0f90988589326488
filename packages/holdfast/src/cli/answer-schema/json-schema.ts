import { isDeepStrictEqual } from "node:util";
import { asSchema, inspectSchema, resolveReference } from "./schema-file.ts";
import type { Schema, SchemaObject } from "./schema-file.ts";

/**
 * Compiles a JSON Schema, draft 2020-12 or 7. Throws for keywords that are not supported, because ignoring a rule
 * would accept wrong values. `format` is an annotation, as in the standard. The returned check lists each problem
 * with its position; the list is empty if the value matches.
 */
export function compileSchema(schema: unknown): (value: unknown) => readonly string[] {
  const root = asSchema(schema, "#");
  inspectSchema(root);
  return (value) => check(value, root, { root, name: "", depth: 0 });
}

interface Place {
  readonly root: Schema;
  readonly name: string;
  readonly depth: number;
}

/** Maximum nesting, because a schema can refer to itself without end. */
const maxDepth = 200;

function check(value: unknown, schema: Schema, at: Place): readonly string[] {
  if (schema === true) return [];
  if (schema === false) return [say(at, "is not allowed")];
  if (at.depth > maxDepth) return [say(at, "is nested too deeply")];
  const { type } = schema;
  if (type !== undefined && !typeFits(value, type)) {
    return [say(at, `must be ${wordsOf(type).join(" or ")}, not ${typeOf(value)}`)];
  }
  return [
    ...checkChoices(value, schema).map((problem) => say(at, problem)),
    ...checkBounds(value, schema).map((problem) => say(at, problem)),
    ...(Array.isArray(value) ? checkArray(value, schema, at) : []),
    ...(isObject(value) ? checkObject(value, schema, at) : []),
    ...checkCombined(value, schema, at),
  ];
}

function checkChoices(value: unknown, schema: SchemaObject): string[] {
  const choices = schema["enum"];
  const { pattern } = schema;
  const isChoice =
    !Array.isArray(choices) || listOf(choices).some((one) => isDeepStrictEqual(one, value));
  const isConst = !("const" in schema) || isDeepStrictEqual(schema["const"], value);
  const matches =
    typeof value !== "string" ||
    typeof pattern !== "string" ||
    new RegExp(pattern, "u").test(value);
  return [
    ...(isChoice ? [] : [`must be one of ${JSON.stringify(choices)}`]),
    ...(isConst ? [] : [`must be ${JSON.stringify(schema["const"])}`]),
    ...(matches ? [] : [`does not match ${pattern}`]),
  ];
}

interface Bound {
  readonly keyword: string;
  readonly of: (value: unknown) => number | null;
  readonly fits: (amount: number, limit: number) => boolean;
  readonly text: (limit: number) => string;
}

const amount = (value: unknown): number | null => (typeof value === "number" ? value : null);
/** Length of a string in Unicode code points, as JSON Schema defines `minLength` and `maxLength`. */
const letters = (value: unknown): number | null =>
  typeof value === "string" ? Array.from(value).length : null;
const items = (value: unknown): number | null => (Array.isArray(value) ? value.length : null);
const fields = (value: unknown): number | null =>
  isObject(value) ? Object.keys(value).length : null;
const atLeast = (found: number, limit: number): boolean => found >= limit;
const atMost = (found: number, limit: number): boolean => found <= limit;

const bounds: readonly Bound[] = [
  { keyword: "minimum", of: amount, fits: atLeast, text: (n) => `must be ${n} or more` },
  { keyword: "maximum", of: amount, fits: atMost, text: (n) => `must be ${n} or less` },
  {
    keyword: "exclusiveMinimum",
    of: amount,
    fits: (found, limit) => found > limit,
    text: (n) => `must be more than ${n}`,
  },
  {
    keyword: "exclusiveMaximum",
    of: amount,
    fits: (found, limit) => found < limit,
    text: (n) => `must be less than ${n}`,
  },
  {
    keyword: "multipleOf",
    of: amount,
    fits: (found, limit) => Math.abs(found / limit - Math.round(found / limit)) < 1e-9,
    text: (n) => `must be a multiple of ${n}`,
  },
  {
    keyword: "minLength",
    of: letters,
    fits: atLeast,
    text: (n) => `must have ${n} characters or more`,
  },
  {
    keyword: "maxLength",
    of: letters,
    fits: atMost,
    text: (n) => `must have ${n} characters or fewer`,
  },
  { keyword: "minItems", of: items, fits: atLeast, text: (n) => `must have ${n} items or more` },
  { keyword: "maxItems", of: items, fits: atMost, text: (n) => `must have ${n} items or fewer` },
  {
    keyword: "minProperties",
    of: fields,
    fits: atLeast,
    text: (n) => `must have ${n} fields or more`,
  },
  {
    keyword: "maxProperties",
    of: fields,
    fits: atMost,
    text: (n) => `must have ${n} fields or fewer`,
  },
];

function checkBounds(value: unknown, schema: SchemaObject): string[] {
  return bounds.flatMap(({ keyword, of, fits, text }) => {
    const limit = schema[keyword];
    const found = of(value);
    return typeof limit !== "number" || found === null || fits(found, limit) ? [] : [text(limit)];
  });
}

function checkArray(value: readonly unknown[], schema: SchemaObject, at: Place): string[] {
  const { contains, minContains, maxContains } = schema;
  const first = listOf(schema["prefixItems"]);
  const problems = value.flatMap((item, index) => {
    const part = index < first.length ? first[index] : schema["items"];
    return part === undefined ? [] : check(item, asSchema(part, "#"), inside(at, `[${index}]`));
  });
  const repeats = value.some((item, index) =>
    value.slice(0, index).some((other) => isDeepStrictEqual(item, other)),
  );
  if (schema["uniqueItems"] === true && repeats) problems.push(say(at, "repeats an item"));
  if (contains === undefined) return problems;
  const wanted = asSchema(contains, "#");
  const count = value.filter((item) => check(item, wanted, inside(at, "")).length === 0).length;
  const least = typeof minContains === "number" ? minContains : 1;
  const most = typeof maxContains === "number" ? maxContains : Infinity;
  if (count < least || count > most)
    problems.push(say(at, `has ${count} items that match "contains"`));
  return problems;
}

function checkObject(value: Record<string, unknown>, schema: SchemaObject, at: Place): string[] {
  const { dependentRequired, propertyNames } = schema;
  const demanded = Object.entries(isObject(dependentRequired) ? dependentRequired : {}).flatMap(
    ([key, names]) => (Object.hasOwn(value, key) ? listOf(names) : []),
  );
  const missing = [...listOf(schema["required"]), ...demanded].filter(
    (key) => typeof key === "string" && !Object.hasOwn(value, key),
  );
  return [
    ...missing.map((key) => say(inside(at, `.${String(key)}`), "is missing")),
    ...Object.entries(value).flatMap(([key, part]) => [
      ...(propertyNames === undefined
        ? []
        : check(key, asSchema(propertyNames, "#"), inside(at, ` name ${key}`))),
      ...fieldSchemas(schema, key).flatMap((rule) =>
        check(part, asSchema(rule, "#"), inside(at, `.${key}`)),
      ),
    ]),
  ];
}

/** Schemas for a field: by its name and by matching patterns; otherwise `additionalProperties`. */
function fieldSchemas(schema: SchemaObject, key: string): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const own = isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
  const patterns = Object.entries(isObject(patternProperties) ? patternProperties : {})
    .filter(([pattern]) => new RegExp(pattern, "u").test(key))
    .map(([, rule]) => rule);
  const found = [...own, ...patterns];
  return found.length > 0 || additionalProperties === undefined ? found : [additionalProperties];
}

function checkCombined(value: unknown, schema: SchemaObject, at: Place): string[] {
  const { $ref, allOf, anyOf, oneOf, not } = schema;
  const part = (rule: unknown): readonly string[] =>
    check(value, asSchema(rule, "#"), inside(at, ""));
  const fits = (rule: unknown): boolean => part(rule).length === 0;
  const problems = listOf(allOf).flatMap(part);
  if ($ref !== undefined) problems.push(...part(resolveReference(at.root, $ref, "#")));
  if (anyOf !== undefined && !listOf(anyOf).some(fits))
    problems.push(say(at, `matches no schema of "anyOf"`));
  const count = listOf(oneOf).filter(fits).length;
  if (oneOf !== undefined && count !== 1) {
    problems.push(say(at, `matches ${count} schemas of "oneOf" instead of one`));
  }
  if (not !== undefined && fits(not)) problems.push(say(at, `matches the schema of "not"`));
  if (schema["if"] === undefined) return problems;
  const next = schema[fits(schema["if"]) ? "then" : "else"];
  return next === undefined ? problems : [...problems, ...part(next)];
}

function typeFits(value: unknown, type: unknown): boolean {
  const is = typeOf(value);
  return wordsOf(type).some((wanted) => wanted === is || (wanted === "number" && is === "integer"));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function wordsOf(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? listOf(type) : [type];
}

function say(at: Place, problem: string): string {
  return `${at.name === "" ? "the answer" : at.name.replace(/^\./, "")} ${problem}`;
}

function inside(at: Place, step: string): Place {
  return { ...at, name: `${at.name}${step}`, depth: at.depth + 1 };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
