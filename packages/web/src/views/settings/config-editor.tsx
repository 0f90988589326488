import type { Notice } from "@holdfast/sdk";
import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { readStored, writeStored } from "../../state/storage.ts";
import { HighlightedText } from "./highlighted-text.tsx";
import { PlainText } from "./plain-text.tsx";

export interface ConfigTextProps {
  readonly text: string;
  /** Problems that the server found in this file. */
  readonly notices: readonly Notice[];
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  /** Receives a function that moves the cursor to the start of a line, counted from 1. */
  readonly control: (goTo: (line: number) => void) => void;
}

/** A text editor that shows problems beside their lines. */
export function ConfigEditor(props: {
  text: string;
  file: string;
  notices: readonly Notice[];
  onChange: (text: string) => void;
  onSave: () => void;
}): JSX.Element {
  let goTo: (line: number) => void = () => {};
  const [isPlain, setPlain] = createSignal(readStored("plainConfig", false));
  const own = createMemo(() =>
    props.notices.filter(({ file }) => file === null || file === props.file),
  );
  const shared = (): ConfigTextProps => ({
    get text() {
      return props.text;
    },
    get notices() {
      return own();
    },
    onChange: (text) => props.onChange(text),
    onSave: () => props.onSave(),
    control: (given) => (goTo = given),
  });
  const choose = (plain: boolean): void => {
    setPlain(plain);
    writeStored("plainConfig", plain);
  };
  return (
    <div class="config">
      <Show when={!isPlain()} fallback={<PlainText {...shared()} />}>
        <HighlightedText {...shared()} onFailed={() => setPlain(true)} />
      </Show>
      <label class="check quiet">
        <input
          type="checkbox"
          checked={isPlain()}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        {t().config.plain}
      </label>
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
