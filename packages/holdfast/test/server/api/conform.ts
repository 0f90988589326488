import assert from "node:assert/strict";
import { z } from "zod";
import type { ZodType } from "zod";
import { errorDetailsSchema, errorSchema, errorStatus } from "../../../src/contract/error.ts";
import { routeEntries } from "../../../src/contract/routes.ts";
import type { RouteName } from "../../../src/contract/routes.ts";
import type { Route } from "../../../src/contract/route.ts";
import { openapiDocument } from "../../../src/server/openapi.ts";

const document = openapiDocument("1.2.3");

const patterns = routeEntries().map(([name, route]) => ({
  name,
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/** The route for a request; without parameters if two match. */
function routeOf(method: string, path: string): { name: RouteName; route: Route } | null {
  const { pathname } = new URL(path, "http://localhost");
  const found = patterns.filter(
    ({ route, pattern }) => route.method === method && pattern.test(pathname),
  );
  return found.find(({ route }) => route.path === pathname) ?? found[0] ?? null;
}

function detailsOf(code: string): ZodType | null {
  return (
    Object.entries(errorDetailsSchema.unwrap().shape).find(([name]) => name === code)?.[1] ?? null
  );
}

/** MCP clients get the errors of their protocol in its own form. */
function isJsonRpcError(path: string | undefined, json: unknown): boolean {
  return path === "/mcp" && z.object({ jsonrpc: z.literal("2.0") }).safeParse(json).success;
}

/** Fails unless the OpenAPI document contains this answer for this request. */
export function conform(
  asked: { method: string; path: string },
  answer: { status: number; headers: Headers; text: string; json: unknown },
): void {
  const { status, headers, text, json } = answer;
  const shown = `${asked.method} ${asked.path} answered ${status} ${text.slice(0, 500)}`;
  assert.match(headers.get("x-request-id") ?? "", /^[\w.-]{1,64}$/, shown);
  const found = routeOf(asked.method, asked.path);
  if (found !== null) {
    const operation = document.paths[found.route.path]?.[found.route.method.toLowerCase()];
    assert.ok(operation?.responses[`${status}`] !== undefined, `not documented: ${shown}`);
  }
  if (status >= 400) {
    if (asked.method === "HEAD" || isJsonRpcError(found?.route.path, json)) return;
    const { error } = errorSchema.parse(json);
    assert.deepEqual(errorSchema.parse(json), json, shown);
    assert.equal(errorStatus[error.code], status, shown);
    const details = detailsOf(error.code);
    if (details === null) assert.equal(error.details, undefined, shown);
    else assert.deepEqual(details.parse(error.details ?? {}), error.details ?? {}, shown);
    assert.equal(error.requestId, headers.get("x-request-id"), shown);
    assert.doesNotMatch(text, /\n?\s+at .*\.ts:|node:internal|file:\/\//, shown);
    return;
  }
  const expected = found?.route.answers[status];
  if (expected?.kind === "json") assert.deepEqual(expected.schema.parse(json), json, shown);
}
