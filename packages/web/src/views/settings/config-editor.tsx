import type { Notice } from "@holdfast/sdk";
import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";

/** A text editor that shows problems beside their lines. */
export function ConfigEditor(props: {
  text: string;
  file: string;
  notices: readonly Notice[];
  onChange: (text: string) => void;
  onSave: () => void;
}): JSX.Element {
  let area: HTMLTextAreaElement | undefined;
  let gutter: HTMLOListElement | undefined;
  const lines = createMemo(() => props.text.split("\n").length);
  const byLine = createMemo(() => noticesByLine(props.notices, props.file));
  const goTo = (line: number): void => {
    if (area === undefined) return;
    const begin = props.text.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = props.text.indexOf("\n", begin);
    area.focus();
    area.setSelectionRange(begin, end === -1 ? props.text.length : end);
  };
  return (
    <div class="config">
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
      <Show when={props.notices.length > 0}>
        <ul class="config-notices" role="alert">
          <For each={props.notices}>
            {(notice) => (
              <li class={notice.severity}>
                <button
                  type="button"
                  class="link-button"
                  disabled={notice.line === null}
                  onClick={() => goTo(notice.line ?? 1)}
                >
                  {notice.line === null
                    ? (notice.file ?? "")
                    : t().config.line({ line: notice.line, column: notice.column })}
                </button>
                <Show when={notice.key}>{(key) => <code>{key()}</code>}</Show>
                <span>{notice.message}</span>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}

/** Groups the notices of a file by line. */
function noticesByLine(
  notices: readonly Notice[],
  file: string,
): ReadonlyMap<number, readonly Notice[]> {
  const found = new Map<number, Notice[]>();
  for (const notice of notices) {
    if (notice.line === null || (notice.file !== null && notice.file !== file)) continue;
    found.set(notice.line, [...(found.get(notice.line) ?? []), notice]);
  }
  return found;
}
