import { z } from "zod";
import { components } from "./component.ts";

/** The subset of JSON Schema that this contract uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

const prefix = "#/components/schemas/";

/** Returns all named schemas, sorted by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(components, { ...options, uri: (id) => `${prefix}${id}` });
  const entries = Object.entries(schemas).map(([id, schema]) => [id, plain(schema)] as const);
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Returns the JSON Schema to use in a route: a reference if the schema has a name. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = components.get(schema)?.id;
  if (id !== undefined) return { $ref: `${prefix}${id}` };
  return plain(z.toJSONSchema(schema, options));
}

/** Removes `$schema` and `$id`. */
function plain(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id");
  return Object.fromEntries(entries);
}

/** Returns the schemas of single fields, such as those of a query, and the names of the required fields. */
export function fieldSchemas(fields: z.ZodRawShape): {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
} {
  const { properties = {}, required = [] } = schemaOf(z.object(fields));
  return { properties, required };
}

/** Returns the schema name that a `$ref` contains. */
export function referenceName(reference: string): string {
  return reference.slice(prefix.length);
}

const options = {
  target: "draft-2020-12",
  io: "output",
  override: ({ zodSchema, jsonSchema }) => {
    // Requests are strict. Responses may contain unknown fields, because a later version may add
    // some.
    const isLoose = zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined;
    if (isLoose) delete jsonSchema.additionalProperties;
    // Zod adds the limits of safe integers, which do not help a reader of the schema.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const satisfies z.core.ToJSONSchemaParams;
