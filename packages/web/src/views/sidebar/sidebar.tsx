import { createEffect, createMemo, on, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { shownKinds } from "@holdfast/model/session-filter.ts";
import { openAsks } from "../../state/asks.ts";
import { go } from "../../state/router.ts";
import {
  filterSessions,
  loadSessions,
  sessionFilter,
  sessionsLoaded,
} from "../../state/sessions.ts";
import { attempt } from "../../state/show-error.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { Link } from "../link.tsx";
import { setOverlay } from "../overlay/overlay.ts";
import { NavBar } from "./nav-bar.tsx";
import { SessionList } from "./session-list.tsx";

/** The session list with search and filter. */
export function Sidebar(props: {
  /** True if the sidebar covers the page, which happens only on narrow screens. */
  isAbove: boolean;
  onNavigate: () => void;
  onClose: () => void;
}): JSX.Element {
  // Wait for a pause in typing before searching.
  const pause = createMemo(() => (sessionFilter().search === "" ? 0 : 200));
  createEffect(
    on(
      sessionFilter,
      () => {
        if (!sessionsLoaded()) return;
        const timer = setTimeout(() => void attempt(loadSessions), pause());
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  return (
    <aside
      class="sidebar"
      aria-label={t().sessions.title}
      tabindex="-1"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || !props.isAbove) return;
        event.preventDefault();
        props.onClose();
      }}
    >
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
          icon="search"
          label={t().search.title}
          onClick={() => {
            setOverlay("search");
            props.onNavigate();
          }}
        />
        <IconButton
          icon="plus"
          label={t().sessions.create}
          onClick={() => {
            go({ page: "home" });
            props.onNavigate();
          }}
        />
      </header>
      <div class="session-filter">
        <div class="search">
          <Icon name="search" size={14} />
          <input
            id="session-search"
            type="search"
            value={sessionFilter().search}
            placeholder={t().sessions.search}
            aria-label={t().sessions.search}
            onInput={(event) => filterSessions({ search: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              filterSessions({ search: "" });
              event.currentTarget.blur();
            }}
          />
        </div>
        <select
          class="show-kind"
          classList={{ narrowed: sessionFilter().show !== "all" }}
          aria-label={t().sessions.show}
          title={t().sessions.show}
          onChange={(event) => {
            const show = shownKinds[event.currentTarget.selectedIndex];
            if (show !== undefined) filterSessions({ show });
          }}
        >
          {shownKinds.map((kind) => (
            <option selected={sessionFilter().show === kind}>{kindText(kind)}</option>
          ))}
        </select>
      </div>
      <SessionList onNavigate={() => props.onNavigate()} />
      <NavBar onNavigate={() => props.onNavigate()} />
    </aside>
  );
}

function kindText(kind: (typeof shownKinds)[number]): string {
  return kind === "all" || kind === "archived" ? t().sessions[kind] : t().status[kind];
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
