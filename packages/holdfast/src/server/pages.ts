import { readFile } from "node:fs/promises";
import { configSchemaFile } from "./config-schema-file.ts";
import { ApiError } from "./errors.ts";
import type { AnyAnswer } from "./handler.ts";
import type { WebFiles } from "./web-files.ts";

/** A page for people or tools that is not part of the API contract. */
export interface Page {
  readonly pattern: string;
  readonly handle: (call: { request: Request }) => Promise<AnyAnswer>;
}

export function pages(options: { version: string; web: WebFiles | null }): readonly Page[] {
  const { version, web } = options;
  // Load and build these on first use, because most processes never need them.
  const openapi = lazy(async () => (await import("./openapi.ts")).openapiDocument(version));
  const openapiText = lazy(async () => JSON.stringify(await openapi()));
  const docs = lazy(async () => (await import("./docs-page.ts")).docsPage(await openapi()));
  const home = lazy(async () => (await import("./home-page.ts")).homePage(version));
  return [
    ...webPatterns.map((pattern) => ({
      pattern,
      handle: async () => (await web?.page()) ?? html(await home()),
    })),
    ...filePatterns.map((pattern) => ({
      pattern,
      handle: async ({ request }: { request: Request }) => {
        const file = (await web?.file(request)) ?? null;
        if (file !== null) return file;
        throw new ApiError("unknownRoute", "the web page has no such file; reload the page");
      },
    })),
    { pattern: "/docs", handle: async () => html(await docs()) },
    {
      pattern: "/openapi.json",
      handle: async () =>
        new Response(await openapiText(), { headers: { "content-type": "application/json" } }),
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

/** Paths of the web page. The page itself decides what to show at each of them. */
const webPatterns = [
  "/",
  "/open",
  "/sessions/{sessionId}",
  "/sessions/{sessionId}/timeline",
  "/sessions/{sessionId}/changes",
  "/sessions/{sessionId}/changes/{runId}",
  "/timeline",
  "/health",
  "/settings",
  "/settings/{section}",
];

const filePatterns = [
  "/assets/{file}",
  "/icon.svg",
  "/icon-192.png",
  "/icon-512.png",
  "/look.js",
  "/manifest.webmanifest",
  "/push-worker.js",
];

function html(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
