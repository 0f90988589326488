import { readFile } from "node:fs/promises";
import { configSchemaFile } from "./config-schema-file.ts";
import { ApiError } from "./errors.ts";
import type { AnyAnswer } from "./handler.ts";
import { docsPage } from "./docs-page.ts";
import { homePage } from "./home-page.ts";
import { openapiDocument } from "./openapi.ts";
import type { WebFiles } from "./web-files.ts";

/** What is there for people and tools besides the routes of the contract. */
export interface Page {
  readonly pattern: string;
  readonly handle: (call: { request: Request }) => Promise<AnyAnswer>;
}

export function pages(parts: { version: string; web: WebFiles | null }): readonly Page[] {
  const { version, web } = parts;
  // Made when somebody asks: most processes are never asked.
  const openapi = lazy(() => openapiDocument(version));
  const openapiText = lazy(() => JSON.stringify(openapi()));
  const docs = lazy(() => docsPage(openapi()));
  return [
    ...webPatterns.map((pattern) => ({
      pattern,
      handle: async () => (await web?.page()) ?? html(homePage(version)),
    })),
    ...filePatterns.map((pattern) => ({
      pattern,
      handle: async ({ request }: { request: Request }) => {
        const file = (await web?.file(request)) ?? null;
        if (file !== null) return file;
        throw new ApiError("unknownRoute", "the web page has no such file; load it again");
      },
    })),
    { pattern: "/docs", handle: async () => html(docs()) },
    {
      pattern: "/openapi.json",
      handle: async () =>
        new Response(openapiText(), { headers: { "content-type": "application/json" } }),
    },
    {
      pattern: "/config.schema.json",
      handle: async () => {
        const schema = await readFile(configSchemaFile());
        return new Response(schema, { headers: { "content-type": "application/schema+json" } });
      },
    },
  ];
}

/** Addresses that the web page shows something at; it finds out by itself what. */
const webPatterns = [
  "/",
  "/open",
  "/sessions/{sessionId}",
  "/sessions/{sessionId}/timeline",
  "/timeline",
  "/health",
  "/settings",
  "/settings/{section}",
];

const filePatterns = ["/assets/{file}", "/icon.svg", "/look.js"];

function html(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
