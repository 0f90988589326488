import type { AnswerInput } from "@holdfast/sdk";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { AskSubject } from "@holdfast/model/ask-extra.ts";
import type { Look } from "../screen/look.ts";
import { fit, indent, oneLine, printable, wrap } from "../screen/text.ts";
import type { OpenAsk } from "../session/session-view.ts";
import { diffRows } from "../transcript/call-card.ts";

const previewRows = 14;

/** The effect of a key on a dialog. `passes`: the editor should handle the key. */
export type AskEffect =
  | { readonly type: "none" }
  | { readonly type: "passes" }
  | { readonly type: "answers"; readonly answer: AnswerInput };

/** A permission request or a question that waits for this person. */
export class AskDialog {
  readonly ask: OpenAsk;
  readonly subject: AskSubject;
  /**
   * `choose`: the dialog shows the answers. `scope`: the user has chosen "always"; the dialog shows the rule and waits
   * for Enter.
   */
  #stage: "choose" | "scope" = "choose";

  constructor(ask: OpenAsk) {
    this.ask = ask;
    this.subject = askSubject(ask.extra);
  }

  get isQuestion(): boolean {
    return this.subject.kind === "question";
  }

  /** Handles a key while the dialog has the focus. */
  take(key: string): AskEffect {
    if (this.#stage === "scope") return this.#takeScope(key);
    if (this.isQuestion) {
      const choice = this.subject.choices[Number(key) - 1];
      if (!/^[1-9]$/.test(key) || choice === undefined) return { type: "passes" };
      return { type: "answers", answer: { verdict: "allow", text: choice } };
    }
    if (key === "y") return { type: "answers", answer: { verdict: "allow" } };
    if (key === "n") return { type: "answers", answer: { verdict: "deny" } };
    if (key !== "a" || this.subject.remembers === null) return { type: "passes" };
    this.#stage = "scope";
    return { type: "none" };
  }

  #takeScope(key: string): AskEffect {
    if (matchesKey(key, "enter"))
      return { type: "answers", answer: { verdict: "allow", remember: "project" } };
    if (key === "s") return { type: "answers", answer: { verdict: "allow", remember: "session" } };
    this.#stage = "choose";
    return matchesKey(key, "escape") ? { type: "none" } : { type: "passes" };
  }

  /**
   * Called when the dialog loses the focus. If the user was choosing where an "always allow" rule applies, goes back to
   * the choice of answers.
   */
  reset(): void {
    this.#stage = "choose";
  }

  rows(options: {
    look: Look;
    columns: number;
    isFocused: boolean;
    /** Number of open asks after this one. */
    more: number;
    /** Title of the sub-agent that asks. Null if the session itself asks. */
    from: string | null;
  }): string[] {
    const { look, columns, isFocused, more, from } = options;
    const others = more > 0 ? look.dim(` (${more} more after this)`) : "";
    const question = wrap(printable(this.ask.question.slice(0, 2_000)), columns - 2);
    const [first = "", ...rest] = question.slice(0, 4);
    return [
      "",
      ...(from === null ? [] : [look.dim(`Agent: ${oneLine(from)}`)]),
      `${look.warn("?")} ${look.bold(first)}${rest.length === 0 ? others : ""}`,
      ...indent(rest, "  "),
      ...indent(this.#preview(look, columns - 2), "  "),
      ...this.#choices(look, columns - 2),
      ...indent(this.#keyRows(look, { columns: columns - 2, isFocused }), "  "),
    ].map((row) => fit(row, columns));
  }

  /** Returns the question with its whole preview, for the transcript view. */
  wholeRows({ look, columns }: { look: Look; columns: number }): string[] {
    const question = wrap(printable(this.ask.question), columns - 2);
    return [
      "",
      ...question.map((row) => look.warn(`? ${row}`)),
      ...this.#wholePreview(look, columns),
    ];
  }

  #wholePreview(look: Look, columns: number): string[] {
    const { preview } = this.subject;
    if (preview === null || this.ask.question.includes(preview.trim())) return [];
    const omitted = this.subject.change?.omitted ?? 0;
    const note = `… ${omitted} more lines are not shown here. The web page shows the whole diff.`;
    const rows = /^@@ /m.test(preview)
      ? diffRows(preview, { look, columns, isWhole: true })
      : wrap(printable(preview), columns);
    return omitted === 0 ? rows : [...rows, ...wrap(note, columns).map((row) => look.warn(row))];
  }

  #preview(look: Look, columns: number): string[] {
    const all = this.#wholePreview(look, columns);
    if (all.length <= previewRows) return all;
    const hidden = all.length - previewRows;
    return [...all.slice(0, previewRows), look.dim(`… ${hidden} more rows, Ctrl-O shows all`)];
  }

  #choices(look: Look, columns: number): string[] {
    return this.subject.choices.map((choice, index) =>
      fit(`  ${look.accent(String(index + 1))} ${oneLine(choice)}`, columns),
    );
  }

  /**
   * Returns the line that lists the keys, wrapped to the width of the screen. Without wrapping, a long permission rule
   * in this line would be cut off, together with the keys after the rule.
   */
  #keyRows(look: Look, { columns, isFocused }: { columns: number; isFocused: boolean }): string[] {
    return wrap(isFocused ? this.#keys(look) : look.dim(this.#waitingKeys()), columns);
  }

  #keys(look: Look): string {
    const key = (name: string): string => look.accent(look.bold(name));
    const { remembers, choices } = this.subject;
    if (this.#stage === "scope") {
      return `Always allow ${look.bold(oneLine(remembers ?? ""))}? ${key("Enter")} in this project · ${key("s")} in this session · ${key("Esc")} back`;
    }
    if (this.isQuestion) {
      const pick = choices.length > 0 ? `${key(`1-${choices.length}`)} pick, or ` : "";
      return `${pick}type an answer and press ${key("Enter")}`;
    }
    const always = remembers === null ? "" : ` · ${key("a")} always: ${oneLine(remembers)}`;
    return `${key("y")} yes, once${always} · ${key("n")} no`;
  }

  #waitingKeys(): string {
    return this.isQuestion ? "Enter sends your text as the answer" : "Tab to answer with y, a or n";
  }
}
