import { createMemo, createSignal, For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { knownDirectories } from "../../state/known-directories.ts";
import { ProjectPicker } from "../project-picker.tsx";
import { readStored, writeStored } from "../../state/storage.ts";

const [chosen, setChosen] = createSignal<string | null>(readStored("directory", null));

/**
 * The directory with the latest activity when the settings were first opened. It stays the same if another directory
 * becomes the latest.
 */
let first: string | null = null;

/** Returns the directory that the settings are about; null if none is known. */
export function chosenDirectory(): string | null {
  const own = chosen();
  if (own !== null) return own;
  first ??= knownDirectories()[0] ?? null;
  return first;
}

export function chooseDirectory(directory: string | null): void {
  setChosen(directory);
  writeStored("directory", directory);
}

export function DirectoryPicker(): JSX.Element {
  const directories = createMemo(() => knownDirectories());
  return (
    <div class="directory-row">
      <label class="field inline">
        <span>{t().home.directory}</span>
        <input
          list="settings-directories"
          value={chosenDirectory() ?? ""}
          spellcheck={false}
          title={t().home.directoryHint}
          onChange={(event) => {
            const directory = event.currentTarget.value.trim();
            chooseDirectory(directory === "" ? null : directory);
          }}
        />
        <datalist id="settings-directories">
          <For each={directories()}>{(each) => <option value={each} />}</For>
        </datalist>
      </label>
      <ProjectPicker onPick={chooseDirectory} />
    </div>
  );
}
