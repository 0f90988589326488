/** An argument that a call repeats in the HTTP header `Mcp-Param-<header>`, so that gateways can route by it. */
export interface ParameterHeader {
  readonly header: string;
  /** Property names that lead from the tool's input to the argument, such as `user` and `id` for `input.user.id`. */
  readonly path: readonly string[];
}

const mark = "x-mcp-header";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ["string", "integer", "boolean"];
const maxDepth = 20;

/**
 * Collects the tool arguments that each call must repeat in an HTTP header. The tool's input schema marks such a
 * property with `x-mcp-header`. The protocol allows this mark only on a string, integer or boolean, at the top level or
 * in nested objects. Any other mark, such as one inside an array or `anyOf`, makes the whole tool unusable.
 */
export function parameterHeaders(schema: unknown): {
  readonly list: readonly ParameterHeader[];
  readonly problem: string | null;
} {
  const list: ParameterHeader[] = [];
  const names = new Set<string>();
  const problem = visit(schema, { path: [], isReachable: true, list, names });
  return { list: problem === null ? list : [], problem };
}

interface Visit {
  readonly path: readonly string[];
  readonly isReachable: boolean;
  readonly list: ParameterHeader[];
  readonly names: Set<string>;
}

function visit(node: unknown, at: Visit): string | null {
  if (typeof node !== "object" || node === null) return null;
  const { path, list, names } = at;
  if (path.length > maxDepth) return null;
  if (Array.isArray(node))
    return firstProblem(node, (item) => visit(item, { ...at, isReachable: false }));
  const schema: Readonly<Record<string, unknown>> = { ...node };
  if (mark in schema) {
    const header = schema[mark];
    if (!at.isReachable || path.length === 0) return `${mark} is not allowed at this place`;
    if (typeof header !== "string" || !token.test(header))
      return `${mark} is not a valid header name`;
    if (!types.includes(schema["type"])) return `${mark} is only allowed on simple values`;
    if (names.has(header.toLowerCase())) return `${mark} ${header} is used twice`;
    names.add(header.toLowerCase());
    list.push({ header, path });
  }
  return firstProblem(Object.entries(schema), ([key, value]) =>
    key === "properties" && typeof value === "object" && value !== null
      ? firstProblem(Object.entries(value), ([name, child]) =>
          visit(child, { ...at, path: [...path, name] }),
        )
      : visit(value, { ...at, path: [...path, key], isReachable: false }),
  );
}

function firstProblem<Item>(
  items: readonly Item[],
  check: (item: Item) => string | null,
): string | null {
  for (const item of items) {
    const problem = check(item);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Builds the `Mcp-Param-` headers of a tool call from its arguments. Only strings, safe integers and booleans get a
 * header.
 */
export function headersFor(
  headers: readonly ParameterHeader[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const entries = headers.flatMap(({ header, path }) => {
    const value = path.reduce<unknown>(
      (node, name) =>
        typeof node === "object" && node !== null && Object.hasOwn(node, name)
          ? Object.entries(node).find(([key]) => key === name)?.[1]
          : undefined,
      given,
    );
    const text = typeof value === "number" && !Number.isSafeInteger(value) ? null : textOf(value);
    return text === null ? [] : [[`Mcp-Param-${header}`, fieldValue(text)] as const];
  });
  return Object.fromEntries(entries);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : null;
}

/** Encodes a text that is not safe in an HTTP header. */
function fieldValue(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text === text.trim();
  const looksEncoded = text.startsWith("=?base64?") && text.endsWith("?=");
  return isPlain && !looksEncoded ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
