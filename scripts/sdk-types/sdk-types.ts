import { errorSchema } from "../../packages/holdfast/src/contract/error.ts";
import {
  componentSchemas,
  fieldSchemas,
  schemaOf,
} from "../../packages/holdfast/src/contract/json-schema.ts";
import { parameterNames, parameterSchemas } from "../../packages/holdfast/src/contract/route.ts";
import type { Route } from "../../packages/holdfast/src/contract/route.ts";
import { routes } from "../../packages/holdfast/src/contract/routes.ts";
import { declaration, documented, typeText } from "./type-text.ts";

/** The text of the SDK's generated types. */
export function sdkTypes(): string {
  const types = Object.entries(componentSchemas()).map(([name, schema]) =>
    declaration(name, schema),
  );
  const entries = Object.values(routes).map((route: Route) => routeText(route));
  const table = documented(
    `All routes with their input and their answer. A failed request gets an ${typeText(schemaOf(errorSchema), 0)}.`,
    `export interface Routes {\n${entries.join("\n")}\n}`,
    0,
  );
  return `${[note, ...types, table].join("\n\n")}\n`;
}

const note =
  "// Generated from packages/holdfast/src/contract by scripts/generate-sdk-types.ts. Do not edit.";

function routeText(route: Route): string {
  const names = parameterNames(route.path);
  const params = names.map((name) => `${name}: ${typeText(schemaOf(parameterSchemas[name]), 3)}`);
  const lines = [
    `params: ${params.length === 0 ? "{}" : `{ ${params.join("; ")} }`};`,
    `query: ${queryText(route)};`,
    `body: ${bodyText(route)};`,
    `answer: ${answerText(route)};`,
  ];
  const text = `  "${route.method} ${route.path}": {\n    ${lines.join("\n    ")}\n  };`;
  return documented(route.summary, text, 1);
}

function queryText({ query }: Route): string {
  if (query === undefined) return "{}";
  return typeText({ type: "object", ...fieldSchemas(query) }, 2);
}

function bodyText({ body }: Route): string {
  if (body === undefined) return "undefined";
  if (body.kind === "bytes") return "Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string";
  return typeText(schemaOf(body.schema), 2);
}

/**
 * Returns the TypeScript type of a route's answer. For an answer that is not JSON, the type is `Response`, and code
 * inside the SDK reads the body.
 */
function answerText({ answers }: Route): string {
  const texts = Object.values(answers).map((answer) => {
    if (answer.kind === "none") return "undefined";
    return answer.kind === "raw" ? "Response" : typeText(schemaOf(answer.schema), 2);
  });
  return [...new Set(texts)].join(" | ");
}
