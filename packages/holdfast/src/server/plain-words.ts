import type { z } from "zod";

/** What is wrong with a field, in words for people; schemas with words of their own keep them. */
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
      return `there is no ${issue.keys.map((key) => JSON.stringify(key)).join(", ")} here`;
    case "invalid_format":
      return `is not written as ${issue.format === "regex" ? "it should be" : issue.format}`;
    case "invalid_union":
      return "has none of the forms that it can have";
    case "not_multiple_of":
    case "invalid_key":
    case "invalid_element":
    case "custom":
    case undefined:
      return "is not as it should be";
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
