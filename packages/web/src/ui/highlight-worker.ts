import { createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import type { HighlighterCore, LanguageRegistration } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { Highlighted, HighlightTask } from "./highlight.ts";

// Highlights code in a worker, because loading a grammar takes 100 ms or more.

// Each grammar is a separate file, loaded when code in this language is first shown.
const languages: Readonly<Record<string, () => Promise<{ default: LanguageRegistration[] }>>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsonc: () => import("shiki/langs/jsonc.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const otherNames: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  "c++": "cpp",
  cs: "csharp",
  dockerfile: "docker",
  golang: "go",
  js: "javascript",
  mjs: "javascript",
  md: "markdown",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  yml: "yaml",
};

const prefix = "--token-";
let core: Promise<HighlighterCore> | null = null;

addEventListener("message", ({ data }: MessageEvent<HighlightTask>) => {
  void highlight(data)
    .catch(() => null)
    .then((lines) => postMessage({ id: data.id, lines } satisfies Highlighted));
});

async function highlight({ code, language }: HighlightTask): Promise<Highlighted["lines"]> {
  const name = otherNames[language.toLowerCase()] ?? language.toLowerCase();
  const load = languages[name];
  if (load === undefined) return null;
  core ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: "page", variablePrefix: prefix })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await core;
  if (!highlighter.getLoadedLanguages().includes(name)) await highlighter.loadLanguage(load);
  const { tokens } = highlighter.codeToTokens(code, { lang: name, theme: "page" });
  return tokens.map((line) =>
    line.map(({ content, color }) => ({ text: content, look: lookOf(color) })),
  );
}

/** Maps the theme's CSS variables to class names, because the page allows no inline styles. */
function lookOf(color: string | undefined): string {
  const name = /--token-(?:token-)?([a-z-]+)/.exec(color ?? "")?.[1] ?? "";
  return name === "" || name === "foreground" ? "" : `token-${name}`;
}
