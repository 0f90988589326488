import { referenceName } from "../../packages/holdfast/src/contract/json-schema.ts";
import type { JsonSchema } from "../../packages/holdfast/src/contract/json-schema.ts";

// Converts the JSON schemas of Holdfast's API to TypeScript types. Supports only the features that these schemas use.

export function declaration(name: string, schema: JsonSchema): string {
  const isInterface = schema.type === "object" && schema.properties !== undefined;
  const text = typeText(schema, 0);
  return documented(
    schema.description,
    isInterface ? `export interface ${name} ${text}` : `export type ${name} = ${text};`,
    0,
  );
}

/** The type as TypeScript. `depth`: indentation of its closing brace. */
export function typeText(schema: JsonSchema, depth: number): string {
  if (schema.$ref !== undefined) return referenceName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeText(choice, depth)));
  const { type } = schema;
  if (type === undefined) return "unknown";
  if (typeof type === "object") {
    return union(type.map((one) => typeText({ ...schema, type: one }, depth)));
  }
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return arrayText(schema, depth);
    case "object":
      return objectText(schema, depth);
  }
}

export function documented(description: string | undefined, text: string, depth: number): string {
  return description === undefined ? text : `${"  ".repeat(depth)}/** ${description} */\n${text}`;
}

function union(texts: readonly string[]): string {
  return [...new Set(texts)].join(" | ");
}

function arrayText({ items = {} }: JsonSchema, depth: number): string {
  const text = typeText(items, depth);
  return /^\w+$/.test(text) ? `readonly ${text}[]` : `readonly (${text})[]`;
}

function objectText(schema: JsonSchema, depth: number): string {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" ? additionalProperties : {};
    return `Readonly<Record<string, ${typeText(values, depth)}>>`;
  }
  const indent = "  ".repeat(depth + 1);
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = typeText(field, depth + 1);
    const text = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return documented(descriptionOf(field), `${indent}${text};`, depth + 1);
  });
  return fields.length === 0 ? "{}" : `{\n${fields.join("\n")}\n${"  ".repeat(depth)}}`;
}

/** Returns the description of an unnamed type. A named type has its description where it is declared. */
function descriptionOf(schema: JsonSchema): string | undefined {
  return schema.$ref === undefined ? schema.description : undefined;
}
