import { getLocation, parseTree } from "jsonc-parser";
import type { JSONPath, Node, ParseError } from "jsonc-parser";

/** The part of JSON Schema that the config's schema uses. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
}

/** A position in the text with a value that the schema does not allow. */
export interface SchemaProblem {
  readonly from: number;
  readonly to: number;
  readonly problem:
    | { readonly kind: "syntax" }
    | { readonly kind: "unknownKey"; readonly key: string }
    | { readonly kind: "missingKey"; readonly key: string }
    | { readonly kind: "wrongType"; readonly type: string }
    | { readonly kind: "notOneOf"; readonly values: string }
    | { readonly kind: "tooLow"; readonly limit: number }
    | { readonly kind: "tooHigh"; readonly limit: number }
    | { readonly kind: "empty" }
    | { readonly kind: "badFormat" };
}

const readOptions = { allowTrailingComma: true, disallowComments: false };

/** Finds mistakes in a config text. The server checks the text again, with more rules, when it is saved. */
export function schemaProblems(text: string, schema: Schema): readonly SchemaProblem[] {
  if (text.trim() === "") return [];
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, readOptions);
  const found = errors.map(({ offset, length }): SchemaProblem => ({
    from: Math.min(offset, text.length),
    to: Math.min(offset + length, text.length),
    problem: { kind: "syntax" },
  }));
  if (root !== undefined) check(root, schema, found);
  return found;
}

function check(node: Node, schema: Schema, found: SchemaProblem[]): void {
  const report = (problem: SchemaProblem["problem"], at: Node = node): void => {
    found.push({ from: at.offset, to: at.offset + at.length, problem });
  };
  if (schema.type !== undefined && !hasType(node, schema.type)) {
    report({ kind: "wrongType", type: schema.type });
    return;
  }
  if (schema.enum !== undefined && !schema.enum.includes(node.value)) {
    report({
      kind: "notOneOf",
      values: schema.enum.map((each) => JSON.stringify(each)).join(", "),
    });
  }
  if (typeof node.value === "number") {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (node.value < minimum) report({ kind: "tooLow", limit: minimum });
    if (node.value > maximum) report({ kind: "tooHigh", limit: maximum });
  }
  if (typeof node.value === "string") {
    if (node.value.length < (schema.minLength ?? 0)) report({ kind: "empty" });
    else if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(node.value)) {
      report({ kind: "badFormat" });
    }
  }
  if (node.type === "array") {
    for (const item of node.children ?? []) if (schema.items) check(item, schema.items, found);
  }
  if (node.type !== "object") return;
  const keys = new Set<unknown>();
  for (const [key, value] of propertiesOf(node)) {
    keys.add(key.value);
    const inner = propertySchema(schema, String(key.value));
    if (inner === null) report({ kind: "unknownKey", key: String(key.value) }, key);
    else if (value !== undefined) check(value, inner, found);
  }
  for (const key of schema.required ?? []) if (!keys.has(key)) report({ kind: "missingKey", key });
}

function propertiesOf(node: Node): readonly (readonly [key: Node, value: Node | undefined])[] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined ? [] : [[key, value] as const],
  );
}

function hasType(node: Node, type: string): boolean {
  return type === "integer" ? Number.isInteger(node.value) : node.type === type;
}

/** Returns the schema of a key; null if the key is not allowed. */
function propertySchema(schema: Schema, key: string): Schema | null {
  const { properties = {}, additionalProperties = true } = schema;
  if (Object.hasOwn(properties, key)) return properties[key] ?? null;
  if (additionalProperties === false) return null;
  return additionalProperties === true ? {} : additionalProperties;
}

export interface SchemaCompletion {
  readonly label: string;
  readonly kind: "key" | "value";
  readonly description: string;
}

/** Returns completions for a position in a config text, and the part of the text that they replace. */
export function schemaCompletions(
  text: string,
  offset: number,
  schema: Schema,
): { readonly from: number; readonly to: number; readonly items: readonly SchemaCompletion[] } {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const isInside =
    previousNode !== undefined &&
    previousNode.offset <= offset &&
    offset <= previousNode.offset + previousNode.length;
  const from = isInside ? previousNode.offset : offset;
  const to = isInside ? previousNode.offset + previousNode.length : offset;
  const parent = schemaAt(schema, path.slice(0, -1));
  if (isAtPropertyKey) {
    const used = keysAt(text, path.slice(0, -1));
    const items = Object.entries(parent?.properties ?? {})
      .filter(([key]) => !used.has(key) || key === previousNode?.value)
      .map(([key, { description = "" }]) => keyCompletion(key, description));
    return { from, to, items };
  }
  const own = schemaAt(schema, path);
  const values = own?.enum ?? (own?.type === "boolean" ? [true, false] : []);
  const items = values.map((value) => ({
    label: JSON.stringify(value),
    kind: "value" as const,
    description: own?.description ?? "",
  }));
  return { from, to, items };
}

function keyCompletion(key: string, description: string): SchemaCompletion {
  return { label: JSON.stringify(key), kind: "key", description };
}

/** Returns the schema at a position; null if the schema does not describe it. */
function schemaAt(schema: Schema, path: JSONPath): Schema | null {
  let found: Schema | null = schema;
  for (const part of path) {
    if (found === null) return null;
    found = typeof part === "number" ? (found.items ?? null) : propertySchema(found, part);
  }
  return found;
}

function keysAt(text: string, path: JSONPath): ReadonlySet<unknown> {
  let node = parseTree(text, [], readOptions);
  for (const part of path) {
    node =
      typeof part === "number"
        ? node?.children?.[part]
        : node?.children?.find(({ children }) => children?.[0]?.value === part)?.children?.[1];
  }
  return new Set(node?.type === "object" ? propertiesOf(node).map(([key]) => key.value) : []);
}
