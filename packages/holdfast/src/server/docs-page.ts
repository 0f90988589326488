import { errorStatus } from "../contract/error.ts";
import { curlExample } from "./docs-page-curl.ts";
import { escapeHtml, inlineCode, schemaHtml, typeHtml } from "./docs-page-schema.ts";
import type { OpenApi, Operation } from "./openapi.ts";

/** Renders the API documentation as one HTML page without scripts or external resources. */
export function docsPage(document: OpenApi): string {
  const entries = entriesOf(document);
  const sections = document.tags.map(({ name, description }) => {
    const own = entries.filter(({ operation }) => operation.tags.includes(name));
    const articles = own.map((entry) => operationHtml(document, entry)).join("");
    return `<section><h2 id="${name}">${titleOf(name)}</h2><p class="lead">${inlineCode(description)}</p>${articles}</section>`;
  });
  const schemas = Object.entries(document.components.schemas)
    .map(
      ([name, schema]) =>
        `<article class="schema" id="schema-${name}"><h3>${name}</h3>${schemaHtml(schema)}</article>`,
    )
    .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast API</title>
<style>${docsStyle}</style>
</head>
<body>
<nav aria-label="Contents">
<a class="brand" href="/">Holdfast</a><p class="version">API of version ${escapeHtml(document.info.version)}</p>
<ul class="top"><li><a href="#start">Getting started</a></li><li><a href="#errors">Errors</a></li></ul>
${document.tags.map(({ name }) => contentsHtml(name, entries)).join("")}
<ul class="top"><li><a href="#schemas">Schemas</a></li></ul>
</nav>
<main>
<h1>Holdfast API</h1>
<p class="lead">${inlineCode(document.info.description)} Machine-readable version: <a href="/openapi.json">openapi.json</a>.</p>
${startHtml}
${errorsHtml()}
${sections.join("")}
<section><h2 id="schemas">Schemas</h2>${schemas}</section>
</main>
</body>
</html>
`;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function entriesOf({ paths }: OpenApi): Entry[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function contentsHtml(tag: string, entries: readonly Entry[]): string {
  const items = entries
    .filter(({ operation }) => operation.tags.some((name) => name === tag))
    .map(
      ({ method, operation }) =>
        `<li><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span>${escapeHtml(operation.operationId)}</a></li>`,
    );
  return `<h4><a href="#${tag}">${titleOf(tag)}</a></h4><ul>${items.join("")}</ul>`;
}

function operationHtml(document: OpenApi, { method, path, operation }: Entry): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const role = operation["x-role"];
  const shownPath = escapeHtml(path).replaceAll(/\{\w+\}/g, (name) => `<em>${name}</em>`);
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<p>${typeHtml(schema)} as <code>${escapeHtml(type)}</code></p>`,
  );
  const answers = Object.entries(responses).map(([status, { description: text, content }]) => {
    const types = Object.entries(content ?? {}).map(([type, { schema }]) =>
      type === "application/json" ? typeHtml(schema) : `<code>${escapeHtml(type)}</code>`,
    );
    const isError = Number(status) >= 400;
    const shown = isError ? "" : types.join(" ");
    return `<tr${isError ? ' class="error"' : ""}><td><code>${status}</code></td><td>${shown}</td><td>${inlineCode(text)}</td></tr>`;
  });
  return `<article id="${operationId}">
<h3><a href="#${operationId}">${inlineCode(summary)}</a></h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span><code>${shownPath}</code><span class="role">${role === null ? "no token needed" : `role ${role}`}</span></p>
${description === undefined ? "" : `<p>${inlineCode(description)}</p>`}
${parameters.length === 0 ? "" : `<h5>Parameters</h5><table>${parameters.map(parameterHtml).join("")}</table>`}
${body.length === 0 ? "" : `<h5>Body${requestBody?.required === true ? "" : " (optional)"}</h5>${body.join("")}`}
<h5>Responses</h5><table>${answers.join("")}</table>
<pre class="example"><code>${escapeHtml(curlExample(document, { method, path, operation }))}</code></pre>
</article>`;
}

function parameterHtml({
  name,
  in: place,
  description,
  schema,
}: Operation["parameters"][number]): string {
  const text = description ?? schema.description ?? "";
  return `<tr><td><code>${name}</code></td><td class="muted">${place}</td><td>${typeHtml(schema)}</td><td>${inlineCode(text)}</td></tr>`;
}

function titleOf(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1);
}

const startHtml = `<section><h2 id="start">Getting started</h2>
<p>Every request carries a token: <code>Authorization: Bearer …</code>. The first start of the server writes an admin token to the file <code>token</code> in its data folder, which only the owner can read. <code>holdfast server token</code> creates tokens with fewer rights. Programs tell errors apart by <code>error.code</code>. A request with an id that the client chose can always be repeated.</p>
<pre class="example"><code>export HOLDFAST=http://127.0.0.1:4747
export TOKEN=$(cat ~/.local/share/holdfast/token)

# create a session in a project folder
curl -s $HOLDFAST/v1/sessions -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d "{\\"sessionId\\":\\"demo\\",\\"directory\\":\\"$PWD\\"}"

# send a prompt; it is stored durably before the response. ?wait=60 waits for the outcome
curl -s "$HOLDFAST/v1/sessions/demo/prompts?wait=60" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '{"promptId":"first","text":"Why does the build fail?"}'

# follow all events of the session
curl -sN $HOLDFAST/v1/sessions/demo/events -H "authorization: Bearer $TOKEN"

# cancel the running prompt and the queue; the receipt lists the cancelled prompts
curl -s -X POST $HOLDFAST/v1/sessions/demo/cancel -H "authorization: Bearer $TOKEN"</code></pre></section>`;

function errorsHtml(): string {
  const byStatus = new Map<number, string[]>();
  for (const [code, status] of Object.entries(errorStatus)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const rows = [...byStatus]
    .toSorted(([left], [right]) => left - right)
    .map(
      ([status, codes]) =>
        `<tr><td><code>${status}</code></td><td>${codes.map((code) => `<code>${code}</code>`).join(" ")}</td></tr>`,
    );
  return `<section><h2 id="errors">Errors</h2>
<p>All errors have the shape ${typeHtml({ $ref: "#/components/schemas/ErrorBody" })}. Codes are stable; messages are for people and may change.</p>
<pre class="example"><code>{ "error": { "code": "staleRevision", "message": "the prompt was edited in the meantime",
    "requestId": "0b6c…", "details": { "revision": 3 } } }</code></pre>
<table>${rows.join("")}</table></section>`;
}

/** Style of the pages that the server renders itself: light or dark, as the reader's system prefers. */
export const docsStyle = `
:root { color-scheme: light dark;
  --back: light-dark(#ffffff, #14171c); --soft: light-dark(#f5f6f8, #1b1f26); --line: light-dark(#e2e5ea, #2c323c);
  --text: light-dark(#1d2129, #e4e7ec); --muted: light-dark(#667085, #98a2b3); --accent: light-dark(#0b63ce, #79b4ff);
  --get: light-dark(#0b7a4b, #4ad295); --post: light-dark(#0b63ce, #79b4ff); --patch: light-dark(#9a5b00, #f0b35a); --delete: light-dark(#b42318, #ff9288); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--back); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
code { background: var(--soft); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line); background: var(--soft); font-size: .875rem; }
nav .brand { font-size: 1.25rem; font-weight: 700; color: var(--text); }
nav .version { margin: 0 0 1rem; color: var(--muted); }
nav h4 { margin: 1.1rem 0 .25rem; text-transform: uppercase; letter-spacing: .05em; font-size: .75rem; } nav h4 a { color: var(--muted); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li a { display: block; padding: .12rem 0; color: var(--text); }
nav .method { width: 3.4rem; font-size: .625rem; margin-right: .4rem; padding: 0; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 64rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; } h2 { margin: 3.5rem 0 .25rem; font-size: 1.5rem; }
h3 { margin: 0 0 .25rem; font-size: 1.125rem; } h3 a { color: inherit; }
h5 { margin: 1.1rem 0 .25rem; font-size: .75rem; text-transform: uppercase; letter-spacing: .05em; color: var(--muted); }
.lead { color: var(--muted); margin-top: .25rem; } .muted { color: var(--muted); }
article { margin: 1.75rem 0; padding-top: 1.75rem; border-top: 1px solid var(--line); }
article:target h3 { color: var(--accent); }
.address { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; margin: .25rem 0 .75rem; }
.address em { color: var(--accent); font-style: normal; }
.method { display: inline-block; font: 700 .75rem/1.6 ui-monospace, Menlo, Consolas, monospace; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
.role { margin-left: auto; font-size: .75rem; color: var(--muted); border: 1px solid var(--line); border-radius: 99px; padding: 0 .6rem; }
.type { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .8125em; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; display: block; overflow-x: auto; }
td { padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td code { white-space: nowrap; overflow-wrap: normal; } td:last-child code { white-space: normal; }
td:last-child { width: 100%; min-width: 14rem; padding-right: 0; } td:nth-last-child(2):not(:first-child) { min-width: 9rem; } tr:last-child > td { border-bottom: 0; }
tr.error td { padding-block: .1rem; border: 0; } tr.error code { background: none; padding: 0; color: var(--muted); }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow-x: auto; line-height: 1.5; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
details { border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; margin: .4rem 0; } summary { cursor: pointer; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); } }
@media print { nav { display: none; } body { display: block; } }
`;
