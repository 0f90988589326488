import type { Context } from "hono";
import { z } from "zod";
import { parameterNames, parameterSchemas } from "../contract/route.ts";
import type { Route } from "../contract/route.ts";
import { ApiError } from "./errors.ts";
import { plainWords } from "./plain-words.ts";
import { readBytes, readDocument, readJson } from "./request-body.ts";

export interface CheckedInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Returns a function that validates requests of one route. The body is read last, when everything else is valid. */
export function checkerOf(
  route: Route,
): (context: Context, charge: (bytes: number) => void) => Promise<CheckedInput> {
  let schemas: InputSchemas | null = null;
  return async (context, charge) => {
    // Created with the first request: all routes together would delay the start of a server by several milliseconds.
    schemas ??= schemasOf(route);
    return {
      params: check(schemas.params, context.req.param(), "path"),
      query: check(schemas.query, queryOf(context), "query"),
      body: await bodyOf(route, context.req.raw, charge),
    };
  };
}

interface InputSchemas {
  readonly params: z.ZodType<Record<string, unknown>>;
  readonly query: z.ZodType<Record<string, unknown>>;
}

function schemasOf(route: Route): InputSchemas {
  const names = parameterNames(route.path);
  const params = names.map((name) => [name, parameterSchemas[name]] as const);
  return {
    params: z.object(Object.fromEntries(params)),
    query: z.strictObject(route.query ?? {}),
  };
}

function queryOf(context: Context): Record<string, unknown> {
  const entries = Object.entries(context.req.queries());
  // A repeated parameter becomes a list, which few schemas accept.
  return Object.fromEntries(
    entries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

async function bodyOf(
  { body }: Route,
  request: Request,
  charge: (bytes: number) => void,
): Promise<unknown> {
  if (body === undefined) return null;
  const limits = { maxBytes: body.maxBytes, charge };
  if (body.kind === "bytes") return readBytes(request, limits);
  if (body.kind === "document") return readDocument(request, limits);
  const value = await readJson(request, limits);
  if (value === undefined && body.optional !== true) {
    throw new ApiError("invalid", "the request needs a JSON body");
  }
  return check(body.schema, value === undefined ? {} : value, "body");
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: "path" | "query" | "body",
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value, { error: plainWords });
  if (success) return data;
  const issues = error.issues.slice(0, maxIssues).map((issue) => ({
    place,
    field: short(issue.path.map(String).join(".")),
    message: short(issue.message),
  }));
  const [first] = issues;
  const where = first === undefined || first.field === "" ? `the ${place}` : first.field;
  const message = `${where}: ${first?.message ?? "is invalid"}`;
  throw new ApiError("invalid", message, { details: { issues } });
}

const maxIssues = 10;

/**
 * Shortens text from the request before an error message quotes it, so that a large request does not cause a large
 * response.
 */
function short(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

const maxLength = 500;
