export type Fields = Readonly<Record<string, unknown>>;

/**
 * Simplifies a schema to a form that all providers accept, even if detail is lost. One invalid keyword, or a keyword of
 * an older draft, would make a provider reject the whole request.
 */
export function plainSchema(schema: unknown): unknown {
  if (!isFields(schema)) return schema;
  const kept = Object.entries(inOneDraft(schema)).filter(([keyword, value]) =>
    isKept(keyword, value),
  );
  const plain = Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, plainPart(keyword, value)]),
  );
  return withItems(withKnownRequired(plain));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Converts three keywords from JSON Schema draft 4 to their newer form: `exclusiveMinimum: true`, `exclusiveMaximum:
 * true` and a list in `items`.
 */
function inOneDraft(schema: Fields): Fields {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, items, ...rest } = schema;
  const limits =
    exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { exclusiveMinimum, minimum };
  const upper =
    exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { exclusiveMaximum, maximum };
  return { ...rest, ...limits, ...upper, items: Array.isArray(items) ? { anyOf: items } : items };
}

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Functions that check the values of JSON Schema keywords. Keywords that are not listed here are kept unchecked. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  $comment: isText,
  $ref: isText,
  format: isText,
  pattern: isText,
  examples: Array.isArray,
  enum: isFilled,
  anyOf: isFilled,
  oneOf: isFilled,
  allOf: isFilled,
  prefixItems: isFilled,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  uniqueItems: isFlag,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  properties: isFields,
  patternProperties: isFields,
  $defs: isFields,
  definitions: isFields,
};

function isKept(keyword: string, value: unknown): boolean {
  return value !== undefined && (checks[keyword]?.(value) ?? true);
}

const withSchemas = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const withList = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const withOne = new Set(
  "items additionalProperties not if then else contains propertyNames".split(" "),
);

function plainPart(keyword: string, value: unknown): unknown {
  if (withOne.has(keyword)) return plainSchema(value);
  if (withList.has(keyword) && Array.isArray(value)) return value.map(plainSchema);
  if (!withSchemas.has(keyword) || !isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainSchema(part)]));
}

function withKnownRequired(schema: Fields): Fields {
  const { required, properties, ...rest } = schema;
  if (!Array.isArray(required) || !isFields(properties)) return schema;
  const known = required.filter((name) => typeof name === "string" && name in properties);
  return known.length === 0 ? { ...rest, properties } : { ...rest, properties, required: known };
}

/** Adds `items` to the schema of an array if it is missing, because some providers require it. */
function withItems(schema: Fields): Fields {
  const { type, items, prefixItems } = schema;
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isList && items === undefined && prefixItems === undefined
    ? { ...schema, items: {} }
    : schema;
}
