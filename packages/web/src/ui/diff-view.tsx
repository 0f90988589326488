import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";

const folded = 40;

/** Shows a unified diff of one file with line numbers. */
export function DiffView(props: { diff: string; path?: string }): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const diff = createMemo(() => diffLines(props.diff));
  const lines = createMemo(() => (isWhole() ? diff().lines : diff().lines.slice(0, folded)));
  const rest = (): number => diff().lines.length - lines().length;
  return (
    <figure class="diff">
      <figcaption>
        <span class="diff-path">
          {visibleText(diff().path === "" ? (props.path ?? "") : diff().path)}
        </span>
        <span class="diff-count">
          <span class="added">+{diff().added}</span> <span class="removed">−{diff().removed}</span>
        </span>
      </figcaption>
      <div class="diff-lines" tabindex="0" role="region" aria-label={diff().path}>
        <table>
          <tbody>
            <For each={lines()}>
              {(line) => (
                <tr class={line.kind}>
                  <td class="number">{line.before}</td>
                  <td class="number">{line.after}</td>
                  <td class="sign">
                    {line.kind === "add" ? "+" : line.kind === "remove" ? "−" : ""}
                  </td>
                  <td class="text">{visibleText(line.text)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <Show when={rest() > 0}>
        <button type="button" class="link-button" onClick={() => setWhole(true)}>
          {t().conversation.showMore({ lines: rest() })}
        </button>
      </Show>
    </figure>
  );
}
