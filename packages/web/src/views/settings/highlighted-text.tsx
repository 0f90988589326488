import type { Notice } from "@holdfast/sdk";
import { createEffect, createResource, createSignal, onCleanup, onMount } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { Schema, SchemaProblem, schemaProblems } from "../../model/config-schema.ts";
import type { CodeEditor } from "./code-editor.ts";
import type { ConfigTextProps } from "./config-editor.tsx";

/** A config text in an editor that completes names from the schema and marks mistakes. */
export function HighlightedText(props: ConfigTextProps & { onFailed: () => void }): JSX.Element {
  let place: HTMLDivElement | undefined;
  const [editor, setEditor] = createSignal<CodeEditor | null>(null);
  // If the schema cannot be loaded, the editor works without completions.
  const [schema] = createResource(() => loadSchema().catch(() => null));
  let isGone = false;
  onCleanup(() => {
    isGone = true;
    editor()?.destroy();
  });
  const [check, setCheck] = createSignal<typeof schemaProblems | null>(null);
  const open = async (): Promise<void> => {
    try {
      const [{ createCodeEditor }, model] = await Promise.all([
        import("./code-editor.ts"),
        import("../../model/config-schema.ts"),
      ]);
      if (isGone || place === undefined) return;
      setCheck(() => model.schemaProblems);
      setEditor(
        createCodeEditor({
          place,
          text: props.text,
          label: t().config.text,
          schema: () => schema() ?? null,
          onChange: (text) => props.onChange(text),
          onSave: () => props.onSave(),
        }),
      );
    } catch {
      props.onFailed();
    }
  };
  onMount(() => void open());
  createEffect(() => editor()?.setText(props.text));
  createEffect(() => {
    const known = schema() ?? null;
    const own = known === null ? [] : (check()?.(props.text, known) ?? []);
    editor()?.mark([
      ...own.map(markOf),
      ...props.notices.flatMap((each) => noticeMark(each, props.text)),
    ]);
  });
  props.control((line) => editor()?.goTo(offsetOf(props.text, line)));
  return <div class="config-editor highlighted" ref={place} />;
}

async function loadSchema(): Promise<Schema> {
  const answer = await fetch("/config.schema.json");
  return answer.json();
}

function markOf({ from, to, problem }: SchemaProblem) {
  return { from, to, severity: "error" as const, message: problemText(problem) };
}

function problemText(problem: SchemaProblem["problem"]): string {
  const text = t().config.problems;
  switch (problem.kind) {
    case "unknownKey":
    case "missingKey":
      return text[problem.kind](problem);
    case "wrongType":
      return text.wrongType(problem);
    case "notOneOf":
      return text.notOneOf(problem);
    case "tooLow":
    case "tooHigh":
      return text[problem.kind](problem);
    case "syntax":
    case "empty":
    case "badFormat":
      return text[problem.kind];
  }
}

/** Marks the line of a problem that the server found. */
function noticeMark({ line, column, message, severity }: Notice, text: string) {
  if (line === null) return [];
  const from = offsetOf(text, line) + Math.max(0, (column ?? 1) - 1);
  const end = text.indexOf("\n", from);
  return [{ from, to: end === -1 ? text.length : end, message, severity }];
}

function offsetOf(text: string, line: number): number {
  return text.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
}
