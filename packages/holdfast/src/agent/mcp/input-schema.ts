import { fit } from "./names.ts";
import { isFields, plainSchema } from "./plain-schema.ts";
import type { Fields } from "./plain-schema.ts";
import { withoutChoices } from "./schema-choices.ts";

export interface InputSchema {
  /**
   * JSON schema for the provider, made valid: one invalid tool schema would make the provider reject the whole request.
   */
  readonly schema: Fields;
  /** Properties that were renamed in `schema`: maps the new name to the name that the server uses. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The reason why the server's schema could not be used. Null if it is used. */
  readonly problem: string | null;
}

export function toInputSchema(given: unknown, max: number): InputSchema {
  if (!isFields(given)) return unknownInput("has no schema");
  if (given["type"] !== "object" && given["type"] !== undefined) {
    return unknownInput("has a schema that is not an object");
  }
  if (!isShallow(given, maxDepth)) return unknownInput("has a schema with too many levels");
  if (!isSchema(given)) return unknownInput("has an invalid JSON schema");
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
  if (!isFields(plain)) return unknownInput("has an invalid JSON schema");
  if (JSON.stringify(plain).length > max) return unknownInput("has a schema that is too long");
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

/** Converts a property name to a form that every provider accepts. */
function propertyName(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : fit(name, maxName);
}

/** Validates only the keywords that providers read. Other keywords are ignored. */
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
