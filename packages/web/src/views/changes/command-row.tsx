import { createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import { Icon } from "../../ui/icon.tsx";
import type { CommandChange } from "./changes-state.ts";
import { shownPath } from "./file-row.tsx";

/** Number of files that are shown at first, and that each "Show more" adds. */
const part = 100;

/** A command, with the files that changed while it ran. */
export function CommandRow(props: { command: CommandChange; directory: string }): JSX.Element {
  const [shown, setShown] = createSignal(part);
  const rest = (): number => Math.max(0, props.command.files.length - shown());
  return (
    <section class="change command-change">
      <p class="change-head">
        <Icon name="terminal" size={14} />
        <code class="command-text">{visibleLine(props.command.summary)}</code>
        <span class="quiet">{t().changes.commandFiles({ files: props.command.files.length })}</span>
      </p>
      <Show when={props.command.files.length > 0}>
        <ul class="command-files">
          <For each={props.command.files.slice(0, shown())}>
            {(path) => (
              <li>
                <bdi>{shownPath(path, props.directory)}</bdi>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={rest() > 0}>
        <button
          type="button"
          class="link-button"
          onClick={() => setShown((before) => before + part)}
        >
          {t().conversation.showMore({ lines: Math.min(part, rest()) })}
        </button>
      </Show>
    </section>
  );
}
