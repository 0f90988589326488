import type { SearchHit } from "@holdfast/sdk";
import { splitPath } from "@holdfast/model/session-tree.ts";
import { visibleLine, visibleText } from "@holdfast/model/visible-text.ts";
import { createEffect, createSignal, createUniqueId, For, Match, on, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { knownDirectories } from "../../state/known-directories.ts";
import { go } from "../../state/router.ts";
import { shownTitle } from "../../state/shown-title.ts";
import {
  createTextSearch,
  filterArchived,
  filterKinds,
  filterTimes,
} from "../../state/text-search.ts";
import type { TextFilter } from "../../state/text-search.ts";
import { createListPlace } from "../../ui/list-place.ts";
import { Modal } from "../../ui/modal.tsx";
import type { ModalControl } from "../../ui/modal.tsx";
import { Ago } from "../../ui/time.tsx";
import { setFocusTarget } from "../session/focus-target.ts";
import { setOverlay } from "./overlay.ts";
import { searchWords, setSearchWords } from "./search-words.ts";

/** Searches the texts of all sessions. Enter opens the session at the message. */
export function SearchDialog(): JSX.Element {
  let modal: ModalControl | undefined;
  const list = createUniqueId();
  const found = createTextSearch();
  const { place, choose, onKey: moveChoice } = createListPlace(() => found.hits().length);
  const [filter, setFilter] = createSignal<TextFilter>({
    words: searchWords(),
    kind: "all",
    time: "any",
    directory: null,
    archived: "all",
  });
  const change = (changed: Partial<TextFilter>): void => {
    choose(0);
    setFilter((before) => ({ ...before, ...changed }));
  };
  createEffect(
    on(filter, (wanted) => {
      setSearchWords(wanted.words);
      found.search(wanted);
    }),
  );
  const open = (hit: SearchHit | undefined): void => {
    if (hit === undefined) return;
    modal?.close();
    openHit(hit);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    const isMove = moveChoice(event.key);
    if (isMove || event.key === "Enter") event.preventDefault();
    if (event.key === "Enter") open(found.hits()[place()]);
    if (!isMove) return;
    if (place() >= found.hits().length - 3) found.more();
    modal?.element.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Modal
      class="palette search-dialog"
      label={t().search.title}
      onClose={() => setOverlay(null)}
      control={(given) => (modal = given)}
      onKeyDown={onKey}
    >
      <input
        autofocus
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.hits().length > 0 ? `${list}-${place()}` : undefined}
        placeholder={t().search.placeholder}
        aria-label={t().search.placeholder}
        spellcheck={false}
        autocomplete="off"
        dir="auto"
        value={filter().words}
        onInput={(event) => change({ words: event.currentTarget.value })}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Filters filter={filter()} onChange={change} />
      <ul id={list} role="listbox" aria-label={t().search.title}>
        <For each={found.hits()}>
          {(hit, index) => (
            <li
              id={`${list}-${index()}`}
              role="option"
              aria-selected={index() === place()}
              onPointerMove={() => choose(index())}
              onClick={() => open(hit)}
            >
              <Hit hit={hit} />
            </li>
          )}
        </For>
      </ul>
      <p class="search-status" role="status">
        <Switch>
          <Match when={found.problem()}>{(words) => <span class="bad">{words()}</span>}</Match>
          <Match when={found.status() === "searching"}>{t().search.searching}</Match>
          <Match when={found.status() === "idle"}>{t().search.hint}</Match>
          <Match when={found.hits().length === 0}>
            {found.hasMore() ? t().search.noneYet : t().search.none}
          </Match>
          <Match when={true}>
            {t().search.count({ count: found.hits().length, hasMore: found.hasMore() })}
          </Match>
        </Switch>
        <Show when={!found.isComplete()}> {t().search.incomplete}</Show>
      </p>
      <Show when={found.hasMore() && found.status() === "done"}>
        <div class="palette-foot">
          <button type="button" class="button small" onClick={() => found.more()}>
            {found.hits().length === 0 ? t().search.further : t().search.more}
          </button>
        </div>
      </Show>
    </Modal>
  );
}

function Filters(props: {
  filter: TextFilter;
  onChange: (changed: Partial<TextFilter>) => void;
}): JSX.Element {
  return (
    <div class="search-filters">
      <Select
        label={t().search.kind}
        values={filterKinds}
        value={props.filter.kind}
        textOf={(kind) => t().search.kinds[kind]}
        onChange={(kind) => props.onChange({ kind })}
      />
      <Select
        label={t().search.time}
        values={filterTimes}
        value={props.filter.time}
        textOf={(time) => t().search.times[time]}
        onChange={(time) => props.onChange({ time })}
      />
      <Select
        label={t().search.archived}
        values={filterArchived}
        value={props.filter.archived}
        textOf={(archived) => t().search.archivedNames[archived]}
        onChange={(archived) => props.onChange({ archived })}
      />
      <Select
        label={t().search.directory}
        values={[null, ...knownDirectories()]}
        value={props.filter.directory}
        textOf={(directory) =>
          directory === null ? t().search.allDirectories : visibleLine(directory)
        }
        onChange={(directory) => props.onChange({ directory })}
      />
    </div>
  );
}

function Select<Value extends string | null>(props: {
  label: string;
  values: readonly Value[];
  value: Value;
  textOf: (value: Value) => string;
  onChange: (value: Value) => void;
}): JSX.Element {
  return (
    <select
      aria-label={props.label}
      title={props.label}
      classList={{ narrowed: props.value !== props.values[0] }}
      onChange={(event) => {
        const value = props.values[event.currentTarget.selectedIndex];
        if (value !== undefined) props.onChange(value);
      }}
    >
      <For each={props.values}>
        {(value) => <option selected={value === props.value}>{props.textOf(value)}</option>}
      </For>
    </select>
  );
}

function Hit(props: { hit: SearchHit }): JSX.Element {
  return (
    <>
      <span class="hit-head">
        <span class="hit-title">{shownTitle(props.hit)}</span>
        <span class="hit-meta">
          {t().search.kindNames[props.hit.kind]} ·{" "}
          {visibleLine(splitPath(props.hit.directory).folder)}
          <Show when={props.hit.archived}> · {t().sessions.archived}</Show> ·{" "}
          <Ago at={props.hit.at} />
        </span>
      </span>
      <bdi class="hit-text">
        <For each={props.hit.snippet}>
          {({ text, isMatch }) => (
            <Show when={isMatch} fallback={visibleText(text)}>
              <mark>{visibleText(text)}</mark>
            </Show>
          )}
        </For>
      </bdi>
    </>
  );
}

function openHit(hit: SearchHit): void {
  const { sessionId, kind, callId, snippet } = hit;
  const words = snippet.filter(({ isMatch }) => isMatch).map(({ text }) => text);
  if (kind !== "title") setFocusTarget({ sessionId, at: hit, callId, words });
  go({ page: "session", sessionId });
}
