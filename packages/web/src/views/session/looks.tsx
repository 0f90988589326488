import { createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import type { CallView } from "@holdfast/model/conversation.ts";
import { countLooks } from "@holdfast/model/fold-calls.ts";
import { t } from "../../i18n/text.ts";
import { Icon } from "../../ui/icon.tsx";
import { CallCard } from "./call-card.tsx";

/** Rows that the user has opened, so that they stay open after scrolling. */
const opened = new Set<string>();

/** Shows several read-only calls in one line, such as "Read 4 files, searched twice". */
export function Looks(props: { calls: readonly CallView[] }): JSX.Element {
  const key = (): string => props.calls[0]?.callId ?? "";
  const [isOpen, setOpen] = createSignal(opened.has(key()));
  const toggle = (): void => {
    if (setOpen((before) => !before)) opened.add(key());
    else opened.delete(key());
  };
  return (
    <section
      class="call completed looks"
      data-calls={props.calls.map(({ callId }) => callId).join(" ")}
    >
      <button type="button" class="call-head" aria-expanded={isOpen()} onClick={toggle}>
        <span class="call-icon">
          <Icon name="eye" size={14} />
        </span>
        <span class="looks-title">{t().calls.looks(countLooks(props.calls))}</span>
        <Icon name={isOpen() ? "chevronDown" : "chevronRight"} size={12} />
      </button>
      <Show when={isOpen()}>
        <div class="looks-body">
          <For each={props.calls}>{(call) => <CallCard call={call} output={null} />}</For>
        </div>
      </Show>
    </section>
  );
}
