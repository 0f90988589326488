import type { AnswerInput } from "@holdfast/sdk";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { AskSubject } from "@holdfast/model/ask-extra.ts";
import { rulesWords } from "@holdfast/model/scope-words.ts";
import type { Look } from "../screen/look.ts";
import { fit, indent, oneLine, printable, wrap, wrapWhole } from "../screen/text.ts";
import type { OpenAsk } from "../session/session-view.ts";
import { diffRows } from "../transcript/call-card.ts";
import { fitAsk } from "./ask-fit.ts";
import type { DrawnAsk } from "./ask-fit.ts";

/** Maximum length of the rules in the line of the keys. The view of the whole request shows longer ones. */
const shownRules = 120;

/**
 * The effect of a key on a dialog. `passes`: the editor should handle the key. `opens`: the user must see the whole
 * request first.
 */
export type AskEffect =
  | { readonly type: "none" }
  | { readonly type: "passes" }
  | { readonly type: "opens" }
  | { readonly type: "answers"; readonly answer: AnswerInput };

export interface AskRowsOptions {
  readonly look: Look;
  readonly columns: number;
  /** Number of rows that the dialog may use. */
  readonly height: number;
  readonly isFocused: boolean;
  /** Number of open asks after this one. */
  readonly more: number;
  /** Title of the sub-agent that asks. Null if the session itself asks. */
  readonly from: string | null;
}

/** A permission request or a question that waits for this person. */
export class AskDialog {
  readonly ask: OpenAsk;
  readonly subject: AskSubject;
  /** The whole diff or command, if it was loaded because the server has sent only its beginning. */
  wholePreview: string | null = null;
  /**
   * `choose`: the dialog shows the answers. `scope`: the user has chosen "always"; the dialog shows the rule and waits
   * for Enter.
   */
  #stage: "choose" | "scope" = "choose";
  /** The wrapped question and preview. A long command takes a tenth of a second to wrap. */
  #wrapped: (WrappedAsk & { readonly key: string }) | null = null;
  /** Whether the screen has shown every part of the request. Before that, no key allows it. */
  #isSeen = false;

  constructor(ask: OpenAsk) {
    this.ask = ask;
    this.subject = askSubject(ask.extra);
  }

  get isQuestion(): boolean {
    return this.subject.kind === "question";
  }

  /** Whether the server has sent only the beginning of the diff or command, and the rest is not loaded. */
  get isCut(): boolean {
    const { change, omittedCharacters } = this.subject;
    return this.wholePreview === null && (change?.omitted ?? 0) + omittedCharacters > 0;
  }

  /** Handles a key while the dialog has the focus. */
  take(key: string): AskEffect {
    if (this.#stage === "scope") return this.#takeScope(key);
    if (this.isQuestion) {
      const choice = this.subject.choices[Number(key) - 1];
      if (!/^[1-9]$/.test(key) || choice === undefined) return { type: "passes" };
      if (!this.#isSeen) return { type: "opens" };
      return { type: "answers", answer: { verdict: "allow", text: choice } };
    }
    if (key === "n") return { type: "answers", answer: { verdict: "deny" } };
    if (key !== "y" && (key !== "a" || this.subject.remembers === null)) return { type: "passes" };
    if (!this.#isSeen) return { type: "opens" };
    if (key === "y") return { type: "answers", answer: { verdict: "allow" } };
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

  /** Called when the view of the request has shown its last line. A request that could not be loaded whole is not seen. */
  markSeen(): void {
    this.#isSeen = !this.isCut;
  }

  /** Returns the rows that fit, and records whether they are the whole request. */
  rows(options: AskRowsOptions): DrawnAsk {
    const { look, more, from } = options;
    const columns = Math.max(1, options.columns);
    const inner = columns - 2;
    const { before, question, notes, preview } = this.#wrap(look, inner);
    const others = more > 0 ? look.dim(` (${more} more after this)`) : "";
    const drawn = fitAsk(
      {
        from: from === null ? [] : [look.dim(`Agent: ${oneLine(from)}`)],
        question: question.map((row, index) => {
          const end = index === 0 && question.length === 1 ? others : "";
          return index === 0 ? `${look.warn("?")} ${look.bold(row)}${end}` : `  ${row}`;
        }),
        leading: before,
        notes: indent(notes, "  "),
        preview: indent(preview, "  "),
        choices: this.#choices(look, inner),
        keys: indent(this.#keyRows(look, { columns: inner, isFocused: options.isFocused }), "  "),
      },
      { height: options.height, mark: (hidden) => `  ${look.warn(hiddenText(hidden))}` },
    );
    if (drawn.isWhole && !this.isCut && this.#rules().length <= shownRules) this.#isSeen = true;
    return { ...drawn, rows: drawn.rows.map((row) => fit(row, columns)) };
  }

  #wrap(look: Look, columns: number): WrappedAsk {
    const key = `${columns} ${look.warn("?")} ${this.wholePreview === null}`;
    if (this.#wrapped?.key === key) return this.#wrapped;
    const { before, asked, after } = this.#parts();
    const leading = wrapText(before, columns);
    this.#wrapped = {
      key,
      before: leading.length,
      question: [...leading, ...wrapText(asked, columns)],
      notes: wrapText(after, columns),
      preview: this.#wholePreview(look, columns),
    };
    return this.#wrapped;
  }

  /** Returns the whole request, for the transcript view. */
  wholeRows({ look, columns }: { look: Look; columns: number }): string[] {
    const question = wrapWhole(printable(this.ask.question), columns - 2);
    const rules = this.#rules();
    return [
      "",
      ...question.map((row) => look.warn(`? ${row}`)),
      ...this.#wholePreview(look, columns),
      ...(rules.length <= shownRules ? [] : wrapWhole(`Always would allow ${rules}`, columns)),
    ];
  }

  /**
   * Splits the question at the command or path that it names. The lines before and after contain warnings, which stay
   * visible if a long command is cut.
   */
  #parts(): { before: string; asked: string; after: string } {
    const { question } = this.ask;
    const { subject } = this.subject;
    const at = subject === null ? -1 : question.indexOf(subject);
    if (subject === null || at === -1) return { before: "", asked: question, after: "" };
    const start = question.lastIndexOf("\n", at) + 1;
    const end = question.indexOf("\n", at + subject.length);
    return {
      before: question.slice(0, Math.max(0, start - 1)),
      asked: question.slice(start, end === -1 ? undefined : end),
      after: end === -1 ? "" : question.slice(end + 1),
    };
  }

  #wholePreview(look: Look, columns: number): string[] {
    const preview = this.wholePreview ?? this.subject.preview;
    if (preview === null || this.ask.question.includes(preview.trim())) return [];
    const rows =
      this.subject.change === null
        ? wrapWhole(printable(preview), columns)
        : diffRows(preview, { look, columns, isWhole: true });
    if (!this.isCut) return rows;
    const { change, omittedCharacters } = this.subject;
    const left = change === null ? `${omittedCharacters} characters` : `${change.omitted} lines`;
    const note = `… ${left} are not shown here. The web page shows the whole request.`;
    return [...rows, ...wrap(note, columns).map((row) => look.warn(row))];
  }

  #choices(look: Look, columns: number): string[] {
    return this.subject.choices.map((choice, index) =>
      fit(`  ${look.accent(String(index + 1))} ${oneLine(choice)}`, columns),
    );
  }

  /** Returns the rules that "always" would store, in words. */
  #rules(): string {
    const { remembers, scopes } = this.subject;
    if (remembers === null) return "";
    return printable(rulesWords({ remembers, scopes })).replaceAll(/\s+/g, " ");
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
    const rules = this.#rules();
    const shown = rules.length <= shownRules ? rules : `${rules.slice(0, shownRules - 1)}…`;
    if (this.#stage === "scope") {
      return `Always allow ${look.bold(shown)}? ${key("Enter")} in this project · ${key("s")} in this session · ${key("Esc")} back`;
    }
    if (this.isQuestion) {
      const pick = choices.length > 0 ? `${key(`1-${choices.length}`)} pick, or ` : "";
      return `${pick}type an answer and press ${key("Enter")}`;
    }
    const always = remembers === null ? "" : ` · ${key("a")} always allow ${shown}`;
    return `${key("y")} yes, once${always} · ${key("n")} no`;
  }

  #waitingKeys(): string {
    return this.isQuestion ? "Enter sends your text as the answer" : "Tab to answer with y, a or n";
  }
}

interface WrappedAsk {
  /** Number of rows at the start of the question that are warnings. */
  readonly before: number;
  readonly question: readonly string[];
  readonly notes: readonly string[];
  readonly preview: readonly string[];
}

function wrapText(text: string, columns: number): string[] {
  return text === "" ? [] : wrapWhole(printable(text), columns);
}

function hiddenText(hidden: number): string {
  return `… ${hidden} more ${hidden === 1 ? "row" : "rows"}, Ctrl-O shows all`;
}
