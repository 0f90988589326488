import type { Notice } from "@holdfast/sdk";
import { createMemo, For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { ConfigTextProps } from "./config-editor.tsx";

/** A config text in a plain text field, with line numbers. */
export function PlainText(props: ConfigTextProps): JSX.Element {
  let area: HTMLTextAreaElement | undefined;
  let gutter: HTMLOListElement | undefined;
  const lines = createMemo(() => props.text.split("\n").length);
  const byLine = createMemo(() => noticesByLine(props.notices));
  props.control((line) => {
    if (area === undefined) return;
    const begin = props.text.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = props.text.indexOf("\n", begin);
    area.focus();
    area.setSelectionRange(begin, end === -1 ? props.text.length : end);
  });
  return (
    <div class="config-editor">
      <ol class="config-gutter" ref={gutter} aria-hidden="true">
        <For each={Array.from({ length: lines() }, (_, index) => index + 1)}>
          {(line) => (
            <li
              class={byLine().get(line)?.[0]?.severity ?? ""}
              title={byLine()
                .get(line)
                ?.map(({ message }) => message)
                .join("\n")}
            >
              {line}
            </li>
          )}
        </For>
      </ol>
      <textarea
        ref={area}
        value={props.text}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        aria-label={t().config.text}
        aria-invalid={props.notices.some(({ severity }) => severity === "error")}
        onInput={(event) => props.onChange(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter !== undefined) gutter.scrollTop = event.currentTarget.scrollTop;
        }}
        onKeyDown={(event) => {
          if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          props.onSave();
        }}
      />
    </div>
  );
}

function noticesByLine(notices: readonly Notice[]): ReadonlyMap<number, readonly Notice[]> {
  const found = new Map<number, Notice[]>();
  for (const notice of notices) {
    if (notice.line === null) continue;
    found.set(notice.line, [...(found.get(notice.line) ?? []), notice]);
  }
  return found;
}
