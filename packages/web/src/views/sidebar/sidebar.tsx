import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { flatten, nodesById, sessionTree, splitPath } from "../../model/session-tree.ts";
import { openAsks } from "../../state/asks.ts";
import { go } from "../../state/router.ts";
import {
  hasMoreSessions,
  loadMoreSessions,
  searchSessions,
  sessions,
  sessionsLoaded,
} from "../../state/sessions.ts";
import { attempt } from "../../state/show-error.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { Link } from "../link.tsx";
import { NavBar } from "./nav-bar.tsx";
import { SessionItem } from "./session-item.tsx";
import { setVisibleSessions } from "./visible-sessions.ts";

/** All sessions by directory, with what each is doing now. */
export function Sidebar(props: { onNavigate: () => void }): JSX.Element {
  const [search, setSearch] = createSignal("");
  const [archived, setArchived] = createSignal(false);
  const groups = createMemo(() =>
    sessionTree(Object.values(sessions), { search: search(), archived: archived() }),
  );
  const nodes = createMemo(() => nodesById(groups()));
  const rootsOf = (directory: string): readonly string[] =>
    groups()
      .find((group) => group.directory === directory)
      ?.nodes.map(({ session }) => session.sessionId) ?? [];
  createEffect(() => setVisibleSessions(flatten(groups()).map(({ sessionId }) => sessionId)));
  createEffect(
    on(search, (typed) => {
      if (typed.length < 2) return;
      const timer = setTimeout(() => void attempt(() => searchSessions(typed)), 200);
      return () => clearTimeout(timer);
    }),
  );
  return (
    <aside class="sidebar" aria-label={t().sessions.title}>
      <header class="sidebar-head">
        <Link class="wordmark" to={{ page: "home" }} onClick={() => props.onNavigate()}>
          <Mark />
          {t().app.name}
        </Link>
        <Show when={openAsks().length > 0}>
          <button
            type="button"
            class="badge"
            onClick={() => {
              const [first] = openAsks();
              if (first !== undefined) go({ page: "session", sessionId: first.sessionId });
              props.onNavigate();
            }}
            title={t().asks.open({ count: openAsks().length })}
          >
            {t().asks.open({ count: openAsks().length })}
          </button>
        </Show>
        <IconButton
          icon="plus"
          label={t().sessions.create}
          onClick={() => {
            go({ page: "home" });
            props.onNavigate();
          }}
        />
      </header>
      <div class="search">
        <Icon name="search" size={14} />
        <input
          id="session-search"
          type="search"
          value={search()}
          placeholder={t().sessions.search}
          aria-label={t().sessions.search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            setSearch("");
            event.currentTarget.blur();
          }}
        />
      </div>
      <nav class="session-list" aria-label={t().nav.sessions}>
        <For each={groups().map(({ directory }) => directory)}>
          {(directory) => (
            <section class="directory">
              <h2 title={directory}>
                <span class="directory-folder">{splitPath(directory).folder}</span>
                <span class="directory-above">{splitPath(directory).above}</span>
              </h2>
              <ul>
                <For each={rootsOf(directory)}>
                  {(sessionId) => (
                    <SessionItem
                      sessionId={sessionId}
                      nodeOf={(id) => nodes().get(id)}
                      onNavigate={props.onNavigate}
                    />
                  )}
                </For>
              </ul>
            </section>
          )}
        </For>
        <Show when={sessionsLoaded() && groups().length === 0}>
          <p class="empty">{search() === "" ? t().sessions.none : t().sessions.noneFound}</p>
        </Show>
        <div class="list-foot">
          <Show when={hasMoreSessions()}>
            <button
              type="button"
              class="link-button"
              onClick={() => void attempt(loadMoreSessions)}
            >
              {t().sessions.more}
            </button>
          </Show>
          <button
            type="button"
            class="link-button quiet"
            aria-pressed={archived()}
            onClick={() => setArchived((value) => !value)}
          >
            {archived() ? t().sessions.active : t().sessions.archived}
          </button>
        </div>
      </nav>
      <NavBar onNavigate={props.onNavigate} />
    </aside>
  );
}

function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <path
        d="M16 7v10M16 17c0 5-4 5-7 9M16 17c0 5 4 5 7 9M16 17v9"
        fill="none"
        stroke="currentColor"
        stroke-width="2.6"
        stroke-linecap="round"
      />
      <circle cx="16" cy="6" r="3" fill="currentColor" />
    </svg>
  );
}
