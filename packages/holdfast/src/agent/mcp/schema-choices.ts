import { isFields } from "./plain-schema.ts";
import type { Fields } from "./plain-schema.ts";

const maxChoices = 2_000;
const variantLists = ["anyOf", "oneOf", "allOf"];
const variants = [...variantLists, "then", "else"];
const choosing = [...variants, ..."not if enum const dependentSchemas".split(" ")];

/**
 * Removes top-level choices such as `anyOf`, which providers reject. The returned schema has the properties of all
 * variants, and its description contains the removed choices as JSON.
 */
export function withoutChoices(given: Fields): Fields {
  const { $schema: _, $ref, ...own } = given;
  const root: Fields = { ...resolve({ $ref }, given), ...own };
  const choices = Object.fromEntries(
    Object.entries(root).filter(([keyword]) => choosing.includes(keyword)),
  );
  if (Object.keys(choices).length === 0) return root;
  const plain = Object.fromEntries(
    Object.entries(root).filter(([keyword]) => !choosing.includes(keyword)),
  );
  const parts = variants
    .flatMap((keyword) => listOf(choices[keyword]))
    .map((variant) => resolve(variant, given));
  const always = [plain, ...listOf(choices["allOf"]).map((part) => resolve(part, given))];
  const rules = JSON.stringify(choices).slice(0, maxChoices);
  return {
    ...plain,
    properties: { ...mergeProperties(parts), ...fieldsOf(plain["properties"]) },
    required: [...new Set(always.flatMap((part) => listOf(part["required"])))],
    description: [...listOf(plain["description"]), `The arguments must also fit: ${rules}`].join(
      "\n",
    ),
  };
}

/** Returns the schema itself, or the schema that it references in the same document. */
function resolve(schema: unknown, whole: Fields): Fields {
  const { $ref } = fieldsOf(schema);
  if (typeof $ref !== "string") return fieldsOf(schema);
  const [, list = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) ?? [];
  return fieldsOf(fieldsOf(whole[list])[name]);
}

/** Merges the properties of all variants. A property with different schemas becomes `anyOf`. */
function mergeProperties(parts: readonly Fields[]): Fields {
  const found = new Map<string, unknown[]>();
  for (const { properties } of parts) {
    for (const [name, part] of Object.entries(fieldsOf(properties))) {
      const known = found.get(name) ?? [];
      const isNew = known.every((one) => JSON.stringify(one) !== JSON.stringify(part));
      found.set(name, isNew ? [...known, part] : known);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, anyOf]) => [name, anyOf.length === 1 ? anyOf[0] : { anyOf }]),
  );
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}
