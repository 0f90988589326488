export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Partial<Record<string, unknown>>>;

/** A schema that cannot be used. The message names the position in the schema. */
export class SchemaProblem extends Error {}

/** Supported JSON Schema keywords, each with the kind of value that it needs. Other keywords are refused. */
const keywords: Readonly<Record<string, Form>> = {
  ...like("schema", "items additionalProperties propertyNames contains not if then else"),
  ...like("list", "allOf anyOf oneOf prefixItems"),
  ...like("named", "properties patternProperties $defs definitions"),
  ...like("text", "$ref pattern"),
  ...like("texts", "required"),
  ...like("number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
  ...like("number", "minLength maxLength minItems maxItems minContains maxContains"),
  ...like("number", "minProperties maxProperties"),
  ...like("values", "enum"),
  ...like("type", "type"),
  ...like("any", "const dependentRequired uniqueItems"),
  ...like("any", "$schema $id $comment $anchor title description default examples example"),
  ...like("any", "deprecated readOnly writeOnly format contentEncoding contentMediaType"),
};

type Form = "schema" | "list" | "named" | "text" | "texts" | "number" | "values" | "type" | "any";

/** Checks the whole schema before it is used. */
export function inspectSchema(root: Schema): void {
  const seen = new Set<unknown>();
  const inspect = (value: unknown, place: string): void => {
    const schema = asSchema(value, place);
    if (typeof schema === "boolean" || seen.has(schema)) return;
    seen.add(schema);
    for (const [keyword, part] of Object.entries(schema)) {
      const where = `${place}/${keyword}`;
      for (const [step, child] of subschemasOf(keyword, part, where))
        inspect(child, `${where}${step}`);
      if (keyword === "$ref") inspect(resolveReference(root, part, place), where);
    }
  };
  inspect(root, "#");
}

/** Resolves a reference within the same file. */
export function resolveReference(root: Schema, reference: unknown, place: string): Schema {
  const path = typeof reference === "string" ? reference : "";
  if (path !== "#" && !path.startsWith("#/")) {
    throw new SchemaProblem(`${place}: the reference ${path} is not a path in this file`);
  }
  let found: unknown = root;
  for (const step of path.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const isThere = typeof found === "object" && found !== null && Object.hasOwn(found, key);
    found = isThere && found !== null ? Reflect.get(Object(found), key) : undefined;
  }
  if (found === undefined)
    throw new SchemaProblem(`${place}: the reference ${path} points to nothing in this file`);
  return asSchema(found, path);
}

export function asSchema(value: unknown, place: string): Schema {
  if (typeof value === "boolean" || isObject(value)) return value;
  throw new SchemaProblem(`${place} is not a schema: it must be an object, true or false`);
}

/** Returns the schemas in the value of a keyword; throws if the value has the wrong form. */
function subschemasOf(
  keyword: string,
  value: unknown,
  place: string,
): readonly [string, unknown][] {
  const form = keywords[keyword] ?? (keyword.startsWith("x-") ? "any" : null);
  switch (form) {
    case null:
      throw new SchemaProblem(`${place} is not supported`);
    case "any":
      return [];
    case "schema":
      return [["", value]];
    case "list":
      return expect(asList(value), place, "a list").map((part, index) => [`/${index}`, part]);
    case "named": {
      const entries = Object.entries(expect(isObject(value) ? value : null, place, "an object"));
      if (keyword === "patternProperties") for (const [name] of entries) expectPattern(name, place);
      return entries.map(([name, part]) => [`/${name}`, part]);
    }
    case "text":
      expect(typeof value === "string" ? value : null, place, "a string");
      if (keyword === "pattern" && typeof value === "string") expectPattern(value, place);
      return [];
    case "texts":
      expect(
        asList(value)?.every((item) => typeof item === "string") || null,
        place,
        "a list of strings",
      );
      return [];
    case "number":
      expect(typeof value === "number" ? value : null, place, "a number");
      return [];
    case "values":
      expect(asList(value), place, "a list");
      return [];
    case "type": {
      const names = asList(value) ?? [value];
      expect(
        names.every((name) => types.has(name)) || null,
        place,
        `one of ${[...types].join(", ")}`,
      );
      return [];
    }
  }
}

const types: ReadonlySet<unknown> = new Set(
  "object array string number integer boolean null".split(" "),
);

function expect<Value>(value: Value | null, place: string, what: string): Value {
  if (value !== null) return value;
  throw new SchemaProblem(`${place} must be ${what}`);
}

function expectPattern(pattern: string, place: string): void {
  try {
    RegExp(pattern, "u");
  } catch {
    throw new SchemaProblem(`${place}: ${pattern} is not a regular expression`);
  }
}

function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function like(form: Form, names: string): Record<string, Form> {
  return Object.fromEntries(names.split(" ").map((name) => [name, form]));
}
