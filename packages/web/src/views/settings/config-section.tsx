import { Refused } from "@holdfast/sdk";
import type { ConfigFile, Notice } from "@holdfast/sdk";
import { createEffect, createMemo, createResource, createSignal, For, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { change } from "../../state/maintenance.ts";
import { readStored, writeStored } from "../../state/storage.ts";
import { configDraftOf, keepConfigDraft } from "./config-drafts.ts";
import { ConfigEditor } from "./config-editor.tsx";
import { chosenDirectory, DirectoryPicker } from "./directory-picker.tsx";
import { Loaded } from "./loaded.tsx";

const scopes = ["project", "user"] as const;
type Scope = (typeof scopes)[number];

/** Editor for the project config and the user config. */
export function ConfigSection(): JSX.Element {
  const [scope, setScope] = createSignal<Scope>(readStored("configScope", "project"));
  const choose = (chosen: Scope): void => {
    setScope(chosen);
    writeStored("configScope", chosen);
  };
  // Use a memo, because the directory is computed again whenever a session changes, and the file must be loaded again
  // only if the directory is another one.
  const directory = createMemo(() => chosenDirectory());
  const place = createMemo(() => {
    if (scope() === "user") return { scope: "user" as const };
    const chosen = directory();
    return chosen === null ? null : { scope: "project" as const, directory: chosen };
  });
  const [file, { refetch }] = createResource(place, (from) => holdfast.config.get(from));
  return (
    <div class="stack">
      <div class="segments" role="radiogroup" aria-label={t().config.scope}>
        <For each={scopes}>
          {(each) => (
            <label class="segment" classList={{ chosen: scope() === each }}>
              <input
                type="radio"
                name="scope"
                checked={scope() === each}
                onChange={() => choose(each)}
              />
              {t().config.scopes[each]}
            </label>
          )}
        </For>
      </div>
      <Show when={scope() === "project"}>
        <DirectoryPicker />
      </Show>
      <Loaded resource={file}>
        {(known) => <ConfigForm file={known()} onReload={() => void refetch()} />}
      </Loaded>
    </div>
  );
}

function ConfigForm(props: { file: ConfigFile; onReload: () => void }): JSX.Element {
  const first = startOf(props.file);
  const [text, setText] = createSignal(first.text);
  /**
   * Problems for which the server refused to save the config file. Null: show the problems that it found when it loaded
   * the file.
   */
  const [refused, setRefused] = createSignal<readonly Notice[] | null>(null);
  /**
   * The version of the file that the edited text is based on. If the file changes on disk, text that the user has
   * edited is kept.
   */
  const [base, setBase] = createSignal<ConfigFile>(first.base);
  const isUnchanged = (file: ConfigFile): boolean => text() === (file.text ?? "");
  const edit = (changed: string): void => {
    setText(changed);
    const { file, digest } = base();
    keepConfigDraft(file, isUnchanged(base()) ? null : { text: changed, digest });
  };
  const discard = (): void => {
    setRefused(null);
    edit(base().text ?? "");
    // The file on disk may have changed since it was loaded.
    props.onReload();
  };
  createEffect(
    on(
      () => props.file,
      (file) => {
        const before = base();
        const isEdited = before.file === file.file && ![before, file].some(isUnchanged);
        if (isEdited) return;
        const start = startOf(file);
        setBase(start.base);
        setText(start.text);
        if (file.digest !== before.digest || file.file !== before.file) setRefused(null);
      },
    ),
  );
  const notices = (): readonly Notice[] => refused() ?? props.file.notices;
  const place = () => {
    const { scope } = props.file;
    return scope === "user" ? { scope } : { scope, directory: chosenDirectory() ?? "" };
  };
  const save = (): void => {
    void change(async () => {
      try {
        const { file, digest } = base();
        const saved = text();
        const answer = await holdfast.config.save({ ...place(), text: saved, digest });
        setRefused(null);
        if (configDraftOf(file)?.text === saved) keepConfigDraft(file, null);
        props.onReload();
        return answer;
      } catch (error) {
        const isBad = error instanceof Refused && error.code === "badConfig";
        setRefused(isBad ? error.details.notices : null);
        throw error;
      }
    });
  };
  return (
    <div class="stack">
      <p class="quiet">
        <code>{props.file.file}</code>
        <Show when={props.file.text === null}> {t().config.missing}</Show>
      </p>
      <ConfigEditor
        text={text()}
        file={props.file.file}
        notices={notices()}
        onChange={edit}
        onSave={save}
      />
      <div class="buttons">
        <a class="button" href="/config.schema.json" target="_blank" rel="noreferrer">
          {t().config.schema}
        </a>
        <Show when={!isUnchanged(base())}>
          <button type="button" class="button" onClick={discard}>
            {t().config.discard}
          </button>
        </Show>
        <button type="button" class="button primary" disabled={isUnchanged(base())} onClick={save}>
          {t().app.save}
        </button>
      </div>
      <Powers file={props.file} onChanged={props.onReload} />
    </div>
  );
}

/** Returns the text to begin with: the unsaved text of an earlier edit, or else the text of the file. */
function startOf(file: ConfigFile): { text: string; base: ConfigFile } {
  const draft = configDraftOf(file.file);
  if (draft === null || draft.text === file.text) return { text: file.text ?? "", base: file };
  return { text: draft.text, base: { ...file, digest: draft.digest } };
}

/**
 * Lists the privileged settings of a project config: actions on the server's machine that it may take once it is
 * trusted.
 */
function Powers(props: { file: ConfigFile; onChanged: () => void }): JSX.Element {
  const powers = () => {
    const known = props.file.powers;
    return known !== null && known.items.length > 0 ? known : null;
  };
  return (
    <Show when={powers()}>
      {(known) => (
        <section class="card" classList={{ warns: !known().trusted }}>
          <div class="card-head">
            <strong>{known().trusted ? t().config.trusted : t().config.untrusted}</strong>
          </div>
          <ul class="plain-list">
            <For each={known().items}>
              {(item) => (
                <li>
                  <code>{item.key}</code> {item.summary}
                </li>
              )}
            </For>
          </ul>
          <div class="card-actions">
            <button
              type="button"
              class="button small"
              onClick={() => {
                const digest = known().trusted ? null : known().digest;
                const directory = chosenDirectory() ?? "";
                void change(() => holdfast.config.trust({ directory, digest })).then(
                  props.onChanged,
                );
              }}
            >
              {known().trusted ? t().config.distrust : t().config.trust}
            </button>
          </div>
        </section>
      )}
    </Show>
  );
}
