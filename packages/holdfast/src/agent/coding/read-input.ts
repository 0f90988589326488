import type { z } from "zod";
import type { Tool } from "../tools/tool.ts";

/**
 * Reads what a model gives to a tool. Many write a list, an object or a number as a text: where a text
 * stands for what is wanted, that is meant, and nothing else is changed.
 */
export function readInput(tool: Tool, given: unknown): z.ZodSafeParseResult<unknown> {
  const parsed = tool.input.safeParse(given);
  if (parsed.success) return parsed;
  const meant = parsed.error.issues.reduce<unknown>(
    (value, { code, path }) => (code === "invalid_type" ? unquoted(value, path) : value),
    given,
  );
  const again = tool.input.safeParse(meant);
  return again.success ? again : parsed;
}

/** The same value with what the text at the place stands for. */
function unquoted(value: unknown, path: readonly PropertyKey[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return typeof value === "string" ? meaningOf(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = Object.entries(value);
  const changed = entries.map(
    ([key, part]) => [key, key === String(first) ? unquoted(part, rest) : part] as const,
  );
  return Array.isArray(value) ? changed.map(([, part]) => part) : Object.fromEntries(changed);
}

function meaningOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
