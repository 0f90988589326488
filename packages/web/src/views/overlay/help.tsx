import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { setOverlay } from "./overlay.ts";

type Keys = ReturnType<typeof t>["help"]["keys"];

const groups: readonly {
  readonly title: () => string;
  readonly keys: readonly (readonly [name: keyof Keys, ...keys: string[]])[];
}[] = [
  {
    title: () => t().help.general,
    keys: [
      ["palette", "Ctrl", "K"],
      ["help", "?"],
      ["newSession", "N"],
      ["nextSession", "J"],
      ["previousSession", "K"],
      ["search", "/"],
      ["searchAll", "S"],
    ],
  },
  {
    title: () => t().help.session,
    keys: [
      ["focusComposer", "I"],
      ["stop", "Esc"],
      ["timeline", "T"],
      ["bottom", "G"],
      ["find", "Ctrl", "F"],
      ["allow", "Y"],
      ["deny", "X"],
    ],
  },
  {
    title: () => t().help.composer,
    keys: [
      ["send", "Enter"],
      ["newline", "Shift", "Enter"],
      ["steer", "Ctrl", "Enter"],
      ["interrupt", "Alt", "Enter"],
      ["history", "↑"],
      ["commands", "/"],
      ["files", "@"],
    ],
  },
  { title: () => t().help.queue, keys: [["move", "Alt", "↑ ↓"]] },
  {
    title: () => t().help.timeline,
    keys: [
      ["zoom", "+", "−"],
      ["pan", "←", "→"],
      ["whole", "0"],
    ],
  },
];

export function Help(): JSX.Element {
  return (
    <Dialog title={t().help.title} class="help" onClose={() => setOverlay(null)}>
      <div class="help-groups">
        <For each={groups}>
          {(group) => (
            <section>
              <h3>{group.title()}</h3>
              <dl>
                <For each={group.keys}>
                  {([name, ...keys]) => (
                    <div>
                      <dt>{t().help.keys[name]}</dt>
                      <dd>
                        <For each={keys}>{(key) => <kbd>{key}</kbd>}</For>
                      </dd>
                    </div>
                  )}
                </For>
              </dl>
            </section>
          )}
        </For>
      </div>
    </Dialog>
  );
}
