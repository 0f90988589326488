import { createMemo, createSignal, For, Show } from "solid-js";
import type { Accessor, JSX } from "solid-js";
import type { DiffLine } from "@holdfast/model/diff-lines.ts";
import { changedWords } from "@holdfast/model/diff-words.ts";
import { splitRows } from "@holdfast/model/split-rows.ts";
import { t } from "../i18n/text.ts";
import { lineSegments } from "../model/line-segments.ts";
import { createLineTokens } from "./line-tokens.ts";

/**
 * Number of lines that are shown at first, and that each "Show more" adds, so that a long diff does not freeze the
 * page.
 */
export const folded = 40;
export const unfolded = 2_000;
/** Number of characters after which a line is cut, with a button that shows the rest. */
const longestLine = 2_000;

/** Notes on lines, such as comments. */
export interface LineNotes {
  /** Returns the element to show below a line; null if there is none. Reactive. */
  readonly below: (line: DiffLine) => JSX.Element | null;
  readonly onLine: (line: DiffLine) => void;
}

/** The numbered lines of a diff: one column, or the old and the new file side by side. */
export function DiffTable(props: {
  lines: readonly DiffLine[];
  /** Path of the file, which decides how its code is highlighted. */
  path: string;
  label: string;
  isSplit?: boolean;
  notes?: LineNotes;
  /** Number of lines that are shown at first. */
  first?: number;
}): JSX.Element {
  const [more, setMore] = createSignal(0);
  const shown = createMemo(() => props.lines.slice(0, (props.first ?? folded) + more()));
  const rest = (): number => props.lines.length - shown().length;
  const tokens = createLineTokens(shown, () => props.path);
  const words = createMemo(() => changedWords(shown()));
  const text = (line: DiffLine) => (
    <LineText line={line} tokens={() => tokens().get(line) ?? []} words={words().get(line) ?? []} />
  );
  return (
    <>
      <div class="diff-lines" tabindex="0" role="region" aria-label={props.label}>
        <Show
          when={props.isSplit}
          fallback={
            <table>
              <tbody>
                <For each={shown()}>
                  {(line, place) => (
                    <UnifiedRow
                      line={line}
                      isFirst={place() === 0}
                      notes={props.notes}
                      text={text}
                    />
                  )}
                </For>
              </tbody>
            </table>
          }
        >
          <table class="split">
            <tbody>
              <For each={splitRows(shown())}>
                {(row, place) => (
                  <>
                    <tr class={row.left !== null && isHeading(row.left) ? row.left.kind : ""}>
                      <Side
                        line={row.left}
                        side="before"
                        notes={props.notes}
                        isFirst={false}
                        text={text}
                      />
                      <Side
                        line={row.right}
                        side="after"
                        notes={props.notes}
                        isFirst={place() === 0}
                        text={text}
                      />
                    </tr>
                    <Show when={row.left !== row.right && row.left}>
                      {(line) => <NoteRow line={line()} notes={props.notes} columns={6} />}
                    </Show>
                    <Show when={row.right}>
                      {(line) => <NoteRow line={line()} notes={props.notes} columns={6} />}
                    </Show>
                  </>
                )}
              </For>
            </tbody>
          </table>
        </Show>
      </div>
      <Show when={rest() > 0}>
        <button
          type="button"
          class="link-button"
          onClick={() => setMore((before) => before + unfolded)}
        >
          {t().conversation.showMore({ lines: Math.min(rest(), unfolded) })}
        </button>
      </Show>
    </>
  );
}

interface RowParts {
  isFirst: boolean;
  notes: LineNotes | undefined;
  text: (line: DiffLine) => JSX.Element;
}

function UnifiedRow(props: RowParts & { line: DiffLine }): JSX.Element {
  const number = (side: "before" | "after"): JSX.Element => {
    const own = props.line.kind === "remove" ? "before" : "after";
    return (
      <LineNumber
        line={props.line}
        side={side}
        notes={side === own ? props.notes : undefined}
        isFirst={props.isFirst}
      />
    );
  };
  return (
    <>
      <tr class={props.line.kind}>
        {number("before")}
        {number("after")}
        <td class="sign">{signOf(props.line)}</td>
        <td class="text">{props.text(props.line)}</td>
      </tr>
      <NoteRow line={props.line} notes={props.notes} columns={4} />
    </>
  );
}

/** The old or the new half of a row in the side-by-side view. */
function Side(props: RowParts & { line: DiffLine | null; side: "before" | "after" }): JSX.Element {
  const kind = (): string => props.line?.kind ?? "none";
  const isOwn = (): boolean => props.side === "after" || kind() === "remove";
  return (
    <Show
      when={props.line}
      fallback={
        <>
          <td class="number none" />
          <td class="sign none" />
          <td class="text none" />
        </>
      }
    >
      {(line) => (
        <>
          <LineNumber
            line={line()}
            side={props.side}
            notes={isOwn() ? props.notes : undefined}
            isFirst={props.isFirst}
          />
          <td class={`sign ${kind()}`}>{signOf(line())}</td>
          <td class={`text ${kind()}`}>
            {isHeading(line()) && props.side === "after" ? "" : props.text(line())}
          </td>
        </>
      )}
    </Show>
  );
}

/**
 * The number of a line. If comments on lines are possible, it is a button, and the arrow keys move between the buttons.
 */
function LineNumber(props: {
  line: DiffLine;
  side: "before" | "after";
  notes: LineNotes | undefined;
  isFirst: boolean;
}): JSX.Element {
  const number = (): number | null => props.line[props.side];
  return (
    <td class={`number ${props.line.kind}`}>
      <Show when={props.notes !== undefined && number() !== null} fallback={number()}>
        <button
          type="button"
          class="line-button"
          tabindex={props.isFirst ? 0 : -1}
          aria-label={t().diff.comment({ line: number() ?? 0 })}
          title={t().diff.comment({ line: number() ?? 0 })}
          onClick={() => props.notes?.onLine(props.line)}
          onKeyDown={moveToLine}
        >
          {number()}
        </button>
      </Show>
    </td>
  );
}

function moveToLine(event: KeyboardEvent & { currentTarget: HTMLButtonElement }): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [
    ...(event.currentTarget.closest("table")?.querySelectorAll<HTMLElement>(".line-button") ?? []),
  ];
  buttons[buttons.indexOf(event.currentTarget) + step]?.focus();
}

function NoteRow(props: {
  line: DiffLine;
  notes: LineNotes | undefined;
  columns: number;
}): JSX.Element {
  return (
    <Show when={props.notes?.below(props.line)}>
      {(content) => (
        <tr class="line-note">
          <td colspan={props.columns}>{content()}</td>
        </tr>
      )}
    </Show>
  );
}

function LineText(props: {
  line: DiffLine;
  tokens: Accessor<readonly { readonly text: string; readonly look: string }[]>;
  words: readonly (readonly [number, number])[];
}): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const text = (): string =>
    props.line.kind === "note" && props.line.text === noNewline
      ? t().diff.noNewline
      : props.line.text;
  const rest = (): number => (isWhole() ? 0 : Math.max(0, text().length - longestLine));
  const segments = () =>
    text().length > longestLine
      ? lineSegments(rest() > 0 ? text().slice(0, longestLine) : text(), [], [])
      : lineSegments(text(), props.tokens(), props.words);
  return (
    <>
      <For each={segments()}>
        {({ text, look }) => (look === "" ? text : <span class={look}>{text}</span>)}
      </For>
      <Show when={rest() > 0}>
        <button type="button" class="link-button line-rest" onClick={() => setWhole(true)}>
          {t().diff.longLine({ characters: rest() })}
        </button>
      </Show>
    </>
  );
}

/** The note that git and our server write below a last line without a line break. */
const noNewline = "No newline at end of file";

/** Whether a line is the heading of a hunk or of a file. The side-by-side view shows a heading once. */
function isHeading({ kind }: DiffLine): boolean {
  return kind === "hunk" || kind === "file";
}

function signOf({ kind }: DiffLine): string {
  return kind === "add" ? "+" : kind === "remove" ? "−" : "";
}
