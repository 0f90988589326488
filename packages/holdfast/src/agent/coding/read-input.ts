import type { z } from "zod";
import type { Tool } from "../tools/tool.ts";

/**
 * Parses the arguments of a tool call. Many models write a list, an object or a number as a JSON string; such a
 * string is decoded where the schema expects another type. Nothing else is changed.
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

/**
 * Returns a copy of the value in which the string at the path is parsed as JSON. A string that is not JSON stays as it
 * is.
 */
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
