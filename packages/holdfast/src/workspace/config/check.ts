import { z } from "zod";
import type { Notice } from "../loader.ts";
import { suggestion } from "./nearest.ts";
import { maxNotices, notice, placeOf, quoted } from "./source.ts";
import type { KeyPath, Source, SourceNode } from "./source.ts";

/** Validates a parsed file against a schema. Unknown keys are dropped with a warning; any other problem is an error. */
export function checkSource<Schema extends z.ZodType>(
  source: Source,
  schema: Schema,
): { value: z.output<Schema> | null; notices: readonly Notice[] } {
  const unknown: { path: KeyPath; known: readonly string[] }[] = [];
  const raw = prune(source.root, schema, { path: [], unknown });
  const warnings = unknown.slice(0, maxNotices).map(({ path, known }) => {
    const name = String(path.at(-1));
    const message = `is unknown and has no effect${suggestion(name, known)}`;
    return notice("warning", { place: placeOf(source, path, "name"), path, message });
  });
  const parsed = schema.safeParse(raw, { error: explain });
  if (parsed.success) return { value: parsed.data, notices: warnings };
  const errors = parsed.error.issues.slice(0, maxNotices).map((issue) => {
    const { path, message } = flatten(issue);
    const of = issue.code === "invalid_key" ? "name" : "value";
    return notice("error", { place: placeOf(source, path, of), path, message });
  });
  return { value: null, notices: [...errors.toSorted(byPlace), ...warnings] };
}

/** Sorts notices by their position in the file. */
function byPlace(one: Notice, other: Notice): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

interface Pruning {
  readonly path: KeyPath;
  readonly unknown: { path: KeyPath; known: readonly string[] }[];
}

/** Returns the value of a node as plain data, without keys that the schema does not know. */
function prune(node: SourceNode, schema: unknown, at: Pruning): unknown {
  const wanted = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const { path, unknown } = at;
  switch (node.kind) {
    case "value":
      return node.value;
    case "list":
      return node.items.map((item, index) =>
        prune(item, itemSchema(wanted, index), { path: [...path, index], unknown }),
      );
    case "object": {
      const value: Record<string, unknown> = {};
      for (const [key, entry] of node.entries) {
        const own = [...path, key];
        if (key === "__proto__") {
          unknown.push({ path: own, known: [] });
        } else if (wanted instanceof z.ZodObject) {
          const shape: Readonly<Record<string, unknown>> = wanted.shape;
          if (Object.hasOwn(shape, key)) {
            value[key] = prune(entry.node, shape[key], { path: own, unknown });
          } else {
            unknown.push({ path: own, known: Object.keys(shape) });
          }
        } else {
          const part = wanted instanceof z.ZodRecord ? wanted.valueType : undefined;
          value[key] = prune(entry.node, part, { path: own, unknown });
        }
      }
      return value;
    }
  }
}

function itemSchema(schema: unknown, index: number): unknown {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodTuple) return schema.def.items[index] ?? schema.def.rest;
  return undefined;
}

function flatten(issue: z.core.$ZodIssue): { path: KeyPath; message: string } {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code !== "invalid_key") return { path, message: issue.message };
  return { path, message: `the name ${issue.issues[0]?.message ?? "is not allowed"}` };
}

/**
 * Builds an error message that does not repeat the invalid value, which could be a secret. Lists the allowed values.
 */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return explainType(issue.input, issue.expected);
  if (issue.code === "invalid_value") return explainChoice(issue.input, issue.values.map(String));
  if (issue.code === "too_small") {
    return issue.origin === "string" ? "must not be empty" : `must be ${issue.minimum} or more`;
  }
  if (issue.code !== "too_big") return undefined;
  if (issue.origin === "string") return `must have at most ${issue.maximum} characters`;
  if (issue.origin === "array") return `must have at most ${issue.maximum} items`;
  return `must be ${issue.maximum} or less`;
}

function explainType(input: unknown, expected: string): string {
  if (input === undefined) return "is missing";
  const isQuoted = typeof input === "string" && input.trim() !== "" && !isNaN(Number(input));
  const isNumber = expected === "number" || expected === "int";
  const hint = isQuoted && isNumber ? "; write it without quotes" : "";
  return `must be ${typeNames[expected] ?? expected}, not ${kindOf(input)}${hint}`;
}

function explainChoice(input: unknown, choices: readonly string[]): string {
  const list = choices.map((choice) => JSON.stringify(choice)).join(", ");
  if (input === undefined) return `is missing; it must be one of ${list}`;
  if (typeof input !== "string") return `must be one of ${list}, not ${kindOf(input)}`;
  return `must be one of ${list}, not ${quoted(input)}${suggestion(input, choices)}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string in quotes",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object { … }",
  record: "an object { … }",
  array: "a list [ … ]",
  tuple: "a list [ … ]",
};

function kindOf(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return "a string";
  if (typeof value === "number") {
    return Number.isInteger(value) ? "a number" : "a number with a fraction";
  }
  return Array.isArray(value) ? "a list" : "an object";
}
