import { fit } from "./names.ts";
import { isFields, plainSchema } from "./plain-schema.ts";
import type { Fields } from "./plain-schema.ts";
import { withoutChoices } from "./schema-choices.ts";

export interface InputSchema {
  /** JSON schema for a provider, which refuses the whole request if one tool's is not one. */
  readonly schema: Fields;
  /** What the server calls a part of the input that has another name in the schema. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Why the model is told nothing of the input; null when it is told. */
  readonly problem: string | null;
}

export function toInputSchema(given: unknown, max: number): InputSchema {
  if (!isFields(given)) return unknownInput("is not described");
  if (given["type"] !== "object" && given["type"] !== undefined) {
    return unknownInput("is described as something other than an object");
  }
  if (!isShallow(given, maxDepth)) return unknownInput("is described with too many levels");
  if (!isSchema(given)) return unknownInput("is not described as a JSON schema");
  const { properties, ...rest } = withoutChoices(given);
  const named = Object.entries(isFields(properties) ? properties : {}).map(
    ([name, part]) => [name, propertyName(name), part] as const,
  );
  const names = new Map(named.map(([original, name]) => [original, name]));
  const required = rest["required"];
  const plain = plainSchema({
    ...rest,
    type: "object",
    properties: Object.fromEntries(named.map(([, name, part]) => [name, part])),
    ...(isTexts(required) ? { required: required.map((name) => names.get(name) ?? name) } : {}),
  });
  if (!isFields(plain)) return unknownInput("is not described as a JSON schema");
  if (JSON.stringify(plain).length > max) return unknownInput("has too long a description");
  const renamed = named.flatMap(([original, name]) =>
    name === original ? [] : [[name, original]],
  );
  return { schema: plain, renamed: Object.fromEntries(renamed), problem: null };
}

const maxDepth = 32;
const maxName = 64;

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function unknownInput(problem: string): InputSchema {
  const schema = { type: "object", properties: {}, additionalProperties: true };
  return { schema, renamed: {}, problem };
}

/** The names that every provider takes. */
function propertyName(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : fit(name, maxName);
}

/** The parts that providers look at are what they should be; the rest is between them and the server. */
function isSchema(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  if (!isFields(value)) return false;
  const { type, properties, required, items, additionalProperties, enum: choices } = value;
  return (
    isType(type) &&
    (properties === undefined ||
      (isFields(properties) && Object.values(properties).every(isSchema))) &&
    (required === undefined || isTexts(required)) &&
    (items === undefined || (Array.isArray(items) ? items.every(isSchema) : isSchema(items))) &&
    (additionalProperties === undefined || isSchema(additionalProperties)) &&
    (choices === undefined || Array.isArray(choices)) &&
    ["anyOf", "oneOf", "allOf"].every((key) => {
      const variants = value[key];
      return variants === undefined || (Array.isArray(variants) && variants.every(isSchema));
    })
  );
}

function isType(type: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.every((one) => typeof one === "string" && types.has(one));
  return typeof type === "string" && types.has(type);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1));
}
