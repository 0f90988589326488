import type { SessionMode } from "@holdfast/sdk";
import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sessionModes } from "../../state/session-mode.ts";

/** Id of the permission mode field, which `/mode` opens. */
const modeFieldId = "session-mode";

/** Shows the permission mode and lets the user choose another one. */
export function ModeChoice(props: {
  /** Null: a child session that uses the mode of its parent. */
  value: SessionMode | null;
  /** Called with the chosen mode. The promise resolves when the server has answered, even if it has refused. */
  onChange: (mode: SessionMode) => Promise<void>;
}): JSX.Element {
  const change = async (field: HTMLSelectElement): Promise<void> => {
    const mode = sessionModes.find((each) => each === field.value);
    if (mode !== undefined) await props.onChange(mode);
    // If the server refused the change, show the stored mode again.
    field.value = props.value ?? "";
  };
  return (
    <select
      id={modeFieldId}
      class="run-choice mode-choice"
      classList={{ plan: props.value === "plan", "accept-edits": props.value === "acceptEdits" }}
      aria-label={t().modes.label}
      title={props.value === null ? t().modes.inherited : t().modes.meanings[props.value]}
      onChange={(event) => void change(event.currentTarget)}
    >
      <Show when={props.value === null}>
        <option value="" selected>
          {t().modes.inherited}
        </option>
      </Show>
      <For each={sessionModes}>
        {(mode) => (
          <option value={mode} selected={props.value === mode} title={t().modes.meanings[mode]}>
            {t().modes.names[mode]}
          </option>
        )}
      </For>
    </select>
  );
}

/** Moves the focus to the permission mode and opens its list if the browser allows it. */
export function openModeChoice(): void {
  const field = document.getElementById(modeFieldId);
  if (!(field instanceof HTMLSelectElement)) return;
  field.focus();
  try {
    field.showPicker();
  } catch {
    // Some browsers do not let a script open the list of a select field. The field has the focus, so the arrow keys
    // work.
  }
}
