import type { z } from "zod";

/** Describes a schema issue in plain words. A schema with its own message keeps that message. */
export function plainWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${nameOf(issue.expected)}, not ${kindOf(issue.input)}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values)}`;
    case "too_small":
      if (issue.minimum === 1 && issue.origin !== "number") return "must not be empty";
      return `must ${bound(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${bound(issue.origin, "at most", issue.maximum)}`;
    case "unrecognized_keys":
      return `unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "invalid_format":
      return `must have the form ${issue.format === "regex" ? "that the schema defines" : issue.format}`;
    case "invalid_union":
      return "matches none of the allowed forms";
    case "not_multiple_of":
    case "invalid_key":
    case "invalid_element":
    case "custom":
    case undefined:
      return "is invalid";
  }
}

function nameOf(expected: string): string {
  switch (expected) {
    case "int":
      return "a whole number";
    case "array":
      return "a list";
    case "object":
    case "record":
      return "an object";
    default:
      return `a ${expected}`;
  }
}

function kindOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number" && !Number.isInteger(input)) return "a fraction";
  return nameOf(typeof input);
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return words.length === 1 ? (words[0] ?? "") : `one of ${words.join(", ")}`;
}

function bound(origin: string, word: string, limit: number | bigint): string {
  switch (origin) {
    case "string":
      return `have ${word} ${limit} characters`;
    case "array":
    case "set":
    case "map":
      return `have ${word} ${limit} entries`;
    default:
      return `be ${word} ${limit}`;
  }
}
