import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { editorNames, editors } from "../../model/editor-link.ts";
import { changeSettings, editor, letterKeys, locale, theme } from "../../state/settings.ts";

const themes = ["system", "light", "dark"] as const;
const locales = ["en", "zh"] as const;

/** Theme, language, shortcuts and the editor for changed files. */
export function LookSection(): JSX.Element {
  return (
    <div>
      <fieldset class="setting">
        <legend>{t().settings.theme}</legend>
        <div class="segments">
          <For each={themes}>
            {(each) => (
              <label class="segment" classList={{ chosen: theme() === each }}>
                <input
                  type="radio"
                  name="theme"
                  checked={theme() === each}
                  onChange={() => changeSettings({ theme: each })}
                />
                {t().settings.themes[each]}
              </label>
            )}
          </For>
        </div>
      </fieldset>
      <fieldset class="setting">
        <legend>{t().settings.language}</legend>
        <div class="segments">
          <For each={locales}>
            {(each) => (
              <label class="segment" classList={{ chosen: locale() === each }}>
                <input
                  type="radio"
                  name="locale"
                  checked={locale() === each}
                  onChange={() => changeSettings({ locale: each })}
                />
                {t().settings.languages[each]}
              </label>
            )}
          </For>
        </div>
      </fieldset>
      <fieldset class="setting">
        <legend>{t().settings.keyboard}</legend>
        <label class="check">
          <input
            type="checkbox"
            checked={letterKeys()}
            onChange={(event) => changeSettings({ letterKeys: event.currentTarget.checked })}
          />
          {t().settings.letterKeys}
        </label>
      </fieldset>
      <fieldset class="setting">
        <legend>{t().settings.editor}</legend>
        <select
          aria-label={t().settings.editor}
          onChange={(event) => {
            const chosen = editors.find((each) => each === event.currentTarget.value);
            changeSettings({ editor: chosen ?? "none" });
          }}
        >
          <For each={editors}>
            {(each) => (
              <option value={each} selected={editor() === each}>
                {each === "none" ? t().settings.noEditor : editorNames[each]}
              </option>
            )}
          </For>
        </select>
        <p class="quiet">{t().settings.editorHint}</p>
      </fieldset>
    </div>
  );
}
