import { escapeHtml } from "./docs-page-schema.ts";
import { docsStyle } from "./docs-page.ts";

/** Renders the page that a browser shows if the web page has not been built. */
export function homePage(version: string): string {
  return page(`<h1>Holdfast</h1>
<p class="lead">A server for coding-agent sessions that never loses a prompt. Version ${escapeHtml(version)}.</p>
<p>Programs talk to it over HTTP: <a href="/docs">the API</a>, or <a href="/openapi.json">openapi.json</a>. From a terminal:</p>
<pre><code>holdfast run "Why does the build fail?"   # send a prompt in a session of this folder
holdfast attach                           # follow a session, send prompts, answer asks
holdfast server status                    # show server status</code></pre>
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
