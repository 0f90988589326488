import { ApiError } from "./errors.ts";
import type { AnyAnswer } from "./handler.ts";
import { docsPage } from "./docs-page.ts";
import { homePage } from "./home-page.ts";
import { openapiDocument } from "./openapi.ts";
import type { Links } from "./ports.ts";

/** What is there for people and tools besides the routes of the contract. */
export interface Page {
  readonly pattern: string;
  readonly handle: (call: { request: Request }) => Promise<AnyAnswer>;
}

export function pages(parts: { version: string; links: Links | null }): readonly Page[] {
  const { version, links } = parts;
  // Made when somebody asks: most processes are never asked.
  const openapi = lazy(() => openapiDocument(version));
  const openapiText = lazy(() => JSON.stringify(openapi()));
  const docs = lazy(() => docsPage(openapi()));
  return [
    { pattern: "/", handle: async () => html(homePage(version)) },
    { pattern: "/docs", handle: async () => html(docs()) },
    {
      pattern: "/openapi.json",
      handle: async () =>
        new Response(openapiText(), { headers: { "content-type": "application/json" } }),
    },
    {
      pattern: "/open",
      handle: async ({ request }) => {
        if (links === null) throw new ApiError("notOffered", "there are no links to open here");
        const code = new URL(request.url).searchParams.get("code") ?? "";
        const { cookie } = await links.open(code);
        const headers = { location: "/", "set-cookie": cookie, "cache-control": "no-store" };
        return new Response(null, { status: 303, headers });
      },
    },
  ];
}

function html(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
