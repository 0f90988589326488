import { escapeHtml } from "./docs-page-schema.ts";
import { docsStyle } from "./docs-page-style.ts";

/** What somebody sees who opens the server's address in a browser, where no web page is built. */
export function homePage(version: string): string {
  return page(`<h1>Holdfast</h1>
<p class="lead">A server for coding-agent sessions that never loses a prompt. Version ${escapeHtml(version)}.</p>
<p>Programs talk to it over HTTP: <a href="/docs">the API</a>, also as <a href="/openapi.json">openapi.json</a>. From a terminal:</p>
<pre><code>holdfast run "Why does the build fail?"   # a prompt, in a session of this folder
holdfast attach                           # follow a session, send prompts, answer asks
holdfast status                           # what this server is doing</code></pre>
${signIn}
<p>The page that shows sessions here is not built: <code>npm run build:web</code> builds it in a clone.</p>`);
}

const signIn = `<p>To sign this browser in, ask for a link where the server runs, and open it here:</p>
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
