import { z } from "zod";
import { components } from "./component.ts";

/** A JSON Schema as far as schemas of this contract make use of it. */
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

/** Every named schema, by its name, in the order of names. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(components, { ...options, uri: (id) => `${prefix}${id}` });
  const entries = Object.entries(schemas).map(([id, schema]) => [id, plain(schema)] as const);
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** A schema where it is used: by its name if it has one. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = components.get(schema)?.id;
  if (id !== undefined) return { $ref: `${prefix}${id}` };
  return plain(z.toJSONSchema(schema, options));
}

/** What a schema says, without what it says of itself. */
function plain(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id");
  return Object.fromEntries(entries);
}

/** The schemas of single fields, such as those of a query, and which of them must be there. */
export function fieldSchemas(fields: z.ZodRawShape): {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
} {
  const { properties = {}, required = [] } = schemaOf(z.object(fields));
  return { properties, required };
}

/** The name that a reference refers to. */
export function referenceName(reference: string): string {
  return reference.slice(prefix.length);
}

const options = {
  target: "draft-2020-12",
  io: "output",
  override: ({ zodSchema, jsonSchema }) => {
    // Requests are strict. An answer of a later version may have more than a client knows of.
    const isLoose = zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined;
    if (isLoose) delete jsonSchema.additionalProperties;
    // Zod writes the bounds of exact numbers down; nobody learns from them.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const satisfies z.core.ToJSONSchemaParams;
