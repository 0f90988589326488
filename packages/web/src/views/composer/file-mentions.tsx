import { createSignal, For, onCleanup, Show } from "solid-js";
import type { Accessor, JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { holdfast } from "../../state/client.ts";

const shownAtMost = 12;
/** Milliseconds between the last key and the search, so that a typed word is searched once. */
const searchDelay = 120;

/** Completes `@` and the beginning of a file name in a text field to a path of the directory. */
export interface FileMentions {
  readonly files: Accessor<readonly string[]>;
  readonly place: Accessor<number>;
  /** Looks for a name before the cursor. Call this after each change of the text. */
  readonly look: () => void;
  /** Handles a key while the list is open. Returns true if the key was used. */
  readonly onKey: (key: string) => boolean;
  readonly pick: (path: string) => void;
}

export function createFileMentions(options: {
  directory: Accessor<string | null>;
  area: () => HTMLTextAreaElement | undefined;
  write: (text: string) => void;
}): FileMentions {
  const [files, setFiles] = createSignal<readonly string[]>([]);
  const [place, setPlace] = createSignal(0);
  let searches = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const close = (): void => {
    searches += 1;
    clearTimeout(timer);
    setFiles([]);
  };
  const search = async (directory: string, words: string): Promise<void> => {
    const own = (searches += 1);
    const query = { search: words, limit: shownAtMost };
    // Without an answer there is nothing to complete.
    const found = await holdfast.workspaces.files(directory, query).catch(() => null);
    if (own !== searches) return;
    setPlace(0);
    setFiles(found?.items ?? []);
  };
  const look = (): void => {
    const directory = options.directory();
    const typed = mentionAt(options.area());
    if (directory === null || typed === null) return close();
    clearTimeout(timer);
    timer = setTimeout(() => void search(directory, typed.words), searchDelay);
  };
  const pick = (path: string): void => {
    const area = options.area();
    const typed = mentionAt(area);
    close();
    if (area === undefined || typed === null) return;
    const before = `${area.value.slice(0, typed.start)}@${path} `;
    options.write(before + area.value.slice(area.selectionStart).trimStart());
    area.focus();
    queueMicrotask(() => area.setSelectionRange(before.length, before.length));
  };
  const onKey = (key: string): boolean => {
    const count = files().length;
    if (count === 0) return false;
    const chosen = files()[place()];
    if (key === "ArrowDown") setPlace((before) => (before + 1) % count);
    else if (key === "ArrowUp") setPlace((before) => (before - 1 + count) % count);
    else if (key === "Escape") close();
    else if ((key === "Enter" || key === "Tab") && chosen !== undefined) pick(chosen);
    else return false;
    return true;
  };
  return { files, place, look, onKey, pick };
}

/** The word after an `@` that ends at the cursor. Null if there is none, as in an email address. */
function mentionAt(
  area: HTMLTextAreaElement | undefined,
): { readonly start: number; readonly words: string } | null {
  if (area === undefined || area.selectionStart !== area.selectionEnd) return null;
  const match = /(?:^|\s)@([^\s@]*)$/.exec(area.value.slice(0, area.selectionStart));
  const [, words] = match ?? [];
  return words === undefined ? null : { start: area.selectionStart - words.length - 1, words };
}

export function FileList(props: { mentions: FileMentions }): JSX.Element {
  return (
    <Show when={props.mentions.files().length > 0}>
      <ul class="command-list" aria-label={t().composer.files}>
        <For each={props.mentions.files()}>
          {(path, index) => (
            <li>
              <button
                type="button"
                classList={{ chosen: index() === props.mentions.place() }}
                onClick={() => props.mentions.pick(path)}
              >
                <span>{visibleText(path)}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
