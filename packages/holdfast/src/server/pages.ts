import { readFile } from "node:fs/promises";
import { configSchemaFile } from "./config-schema-file.ts";
import { ApiError } from "./errors.ts";
import type { AnyAnswer } from "./handler.ts";
import { docsPage } from "./docs-page.ts";
import { homePage, usedLinkPage } from "./home-page.ts";
import { openapiDocument } from "./openapi.ts";
import { notAllowed } from "./pipeline.ts";
import type { Links } from "./ports.ts";
import type { WebFiles } from "./web-files.ts";

/** What is there for people and tools besides the routes of the contract. */
export interface Page {
  readonly pattern: string;
  readonly handle: (call: { request: Request }) => Promise<AnyAnswer>;
}

export function pages(parts: {
  version: string;
  links: Links | null;
  web: WebFiles | null;
}): readonly Page[] {
  const { version, links, web } = parts;
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
    {
      pattern: "/open",
      handle: async ({ request }) => {
        if (links === null) throw new ApiError("notOffered", "there are no links to open here");
        // Programs that look ahead at links, such as those of mail and chat, must not use it up.
        if (request.method !== "GET") throw notAllowed(["GET"]);
        const code = new URL(request.url).searchParams.get("code") ?? "";
        try {
          const { cookie } = await links.open(code);
          const headers = { location: "/", "set-cookie": cookie, "cache-control": "no-store" };
          return new Response(null, { status: 303, headers });
        } catch (error) {
          // A person is told by a page; the answer for programs is none.
          if (!(error instanceof ApiError) || error.code !== "badLink") throw error;
          if (!wantsPage(request)) throw error;
          if (!(await web?.page())) return html(usedLinkPage(), error.status);
          return new Response(null, { status: 303, headers: { location: "/?link=used" } });
        }
      },
    },
  ];
}

/** Addresses that the web page shows something at; it finds out by itself what. */
const webPatterns = [
  "/",
  "/sessions/{sessionId}",
  "/sessions/{sessionId}/timeline",
  "/timeline",
  "/health",
  "/settings",
  "/settings/{section}",
];

const filePatterns = ["/assets/{file}", "/icon.svg", "/look.js"];

/** Browsers name it when somebody opens an address, programs take anything. */
function wantsPage(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") === true;
}

function html(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
