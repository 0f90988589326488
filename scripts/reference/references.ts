import { join } from "node:path";
import { exportedDeclarations } from "./declarations.ts";
import type { Declaration } from "./declarations.ts";
import { referencePage } from "./reference-page.ts";

const root = join(import.meta.dirname, "../..");

/** A page of the API reference and the declarations that it shows. */
export interface Reference {
  readonly path: string;
  readonly source: string;
  readonly declarations: readonly Declaration[];
  readonly content: string;
}

/** Builds the reference pages of the packages `sdk` and `holdfast` from their source. */
export function references(): Reference[] {
  const sources = pages.map(({ name }) => `packages/${name}/src`);
  const found = exportedDeclarations(sources.map((source) => join(root, source, "index.ts")));
  return pages.map(({ name, title, intro }, index) => {
    const declarations = found[index] ?? [];
    const content = referencePage({ title, intro, declarations });
    return {
      path: `docs/reference/${name}.md`,
      source: `packages/${name}/src`,
      declarations,
      content,
    };
  });
}

const pages = [
  {
    name: "sdk",
    title: "Reference: @holdfast/sdk",
    intro: [
      "The client for Node and browsers. Start with its [README](../../packages/sdk/README.md). Types of requests and",
      "answers, such as `Prompt` or `Session`, have the names of the [HTTP interface](../API.md); a server shows them at `/docs`.",
      "In the examples, `holdfast`, `session` and `prompt` are those of the example of [connect](#connect).",
    ].join("\n"),
  },
  {
    name: "holdfast",
    title: "Reference: holdfast",
    intro: [
      "The runtime, for programs that run their own agent. Start with",
      "[examples/custom-agent.ts](../../examples/custom-agent.ts). [The glossary](../GLOSSARY.md) explains words such as lane and generation.",
      "In the examples, `agent` is that of [createHoldfast](#createholdfast) and `runtime` that of [createRuntime](#createruntime).",
    ].join("\n"),
  },
];
