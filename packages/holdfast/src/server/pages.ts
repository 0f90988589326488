import { readFile } from "node:fs/promises";
import { configSchemaFile } from "./config-schema-file.ts";
import { ApiError } from "./errors.ts";
import type { AnyAnswer } from "./handler.ts";
import { docsPage, docsStyle } from "./docs-page.ts";
import { openapiDocument } from "./openapi.ts";
import type { WebFiles } from "./web-files.ts";
import { escapeHtml } from "./docs-page-schema.ts";

/** A page for people and tools that is not part of the API contract. */
export interface Page {
  readonly pattern: string;
  readonly handle: (call: { request: Request }) => Promise<AnyAnswer>;
}

export function pages(options: { version: string; web: WebFiles | null }): readonly Page[] {
  const { version, web } = options;
  // Built on first use, because most processes never need them.
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
        throw new ApiError("unknownRoute", "the web page has no such file; reload the page");
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

/** Addresses of the web page. The page itself decides what to show at each. */
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

/** The page that a browser shows if the web page has not been built. */
function homePage(version: string): string {
  return page(`<h1>Holdfast</h1>
<p class="lead">A server for coding-agent sessions that never loses a prompt. Version ${escapeHtml(version)}.</p>
<p>Programs talk to it over HTTP: <a href="/docs">the API</a>, or <a href="/openapi.json">openapi.json</a>. From a terminal:</p>
<pre><code>holdfast run "Why does the build fail?"   # send a prompt in a session of this folder
holdfast attach                           # follow a session, send prompts, answer asks
holdfast server status                           # show server status</code></pre>
${signIn}
<p>The web page for sessions has not been built. In a clone, run <code>npm run build:web</code>.</p>`);
}

const signIn = `<p>To sign in with this browser, run this command on the server and open the link that it prints:</p>
<pre><code>holdfast link</code></pre>`;

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast</title>
<style>${docsStyle} body { display: block; } main { margin: 10vh auto 0; max-width: 44rem; }</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}
