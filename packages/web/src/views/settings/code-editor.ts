import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import type { Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { schemaCompletions } from "../../model/config-schema.ts";
import type { Schema } from "../../model/config-schema.ts";

/** An editor for a config text, with completions from the schema. */
export interface CodeEditor {
  setText(text: string): void;
  /** Marks the problems in the text. */
  mark(problems: readonly Diagnostic[]): void;
  /** Moves the cursor to a place, and the focus into the editor. */
  goTo(offset: number): void;
  destroy(): void;
}

export interface CodeEditorOptions {
  /** Element in which the editor is created. */
  readonly place: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly schema: () => Schema | null;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

/** JSON with comments. */
const language = StreamLanguage.define<{ isInComment: boolean }>({
  startState: () => ({ isInComment: false }),
  token: (stream, state) => {
    if (state.isInComment) {
      state.isInComment = stream.match(/^.*?\*\//) === null;
      if (state.isInComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.isInComment = true;
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
      return stream.match(/^\s*:/, false) ? "propertyName" : "string";
    }
    if (stream.match(/^-?\d[\d.eE+-]*/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "bool";
    stream.next();
    return null;
  },
});

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--text)" },
  { tag: tags.number, color: "var(--busy)" },
  { tag: tags.bool, color: "var(--busy)" },
  { tag: tags.comment, color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", fontSize: "var(--text-note)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--muted)", border: "0" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    backgroundColor: "var(--surface)",
    color: "var(--text)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--hover)",
    color: "var(--text)",
  },
  ".cm-completionInfo": { maxWidth: "24rem" },
});

/**
 * Creates the editor inside a shadow root. There, CodeMirror adds its styles with a constructed style sheet; in the
 * document, it would add a style element, which the content security policy forbids.
 */
export function createCodeEditor(options: CodeEditorOptions): CodeEditor {
  const root = options.place.shadowRoot ?? options.place.attachShadow({ mode: "open" });
  const complete = (context: CompletionContext): CompletionResult | null => {
    const schema = options.schema();
    if (schema === null) return null;
    const found = schemaCompletions(context.state.doc.toString(), context.pos, schema);
    const typed = context.state.sliceDoc(found.from, context.pos);
    if (found.items.length === 0 || (typed === "" && !context.explicit)) return null;
    return {
      from: found.from,
      to: found.to,
      options: found.items.map(({ label, kind, description }) => ({
        label,
        type: kind === "key" ? "property" : "constant",
        ...(description === "" ? {} : { info: description }),
      })),
    };
  };
  const save = (): boolean => {
    options.onSave();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        indentUnit.of("  "),
        EditorState.tabSize.of(2),
        language,
        syntaxHighlighting(colors),
        autocompletion({ override: [complete] }),
        lintGutter(),
        highlightActiveLine(),
        look,
        // Tab leaves the editor, so that the keyboard can reach the rest of the page.
        keymap.of([
          { key: "Mod-s", run: save },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": options.label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText: (text) => {
      const { doc } = view.state;
      if (doc.toString() === text) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
    },
    mark: (problems) => {
      const { length } = view.state.doc;
      const inside = problems.map((problem) => ({
        ...problem,
        from: Math.min(problem.from, length),
        to: Math.min(Math.max(problem.from, problem.to), length),
      }));
      view.dispatch(setDiagnostics(view.state, inside));
    },
    goTo: (offset) => {
      view.dispatch({
        selection: { anchor: Math.min(offset, view.state.doc.length) },
        scrollIntoView: true,
      });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}
