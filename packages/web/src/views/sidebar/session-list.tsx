import { createEffect, createMemo, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sessionOf } from "../../model/route.ts";
import { areSameIds } from "@holdfast/model/same-ids.ts";
import { listRows, sessionTree, splitPath } from "@holdfast/model/session-tree.ts";
import type { ListRow } from "@holdfast/model/session-tree.ts";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { foldedDirectories, toggleFolded } from "../../state/folded-directories.ts";
import { currentRoute } from "../../state/router.ts";
import {
  allSessions,
  hasMoreSessions,
  loadMoreSessions,
  sessionFilter,
  sessionsLoaded,
} from "../../state/sessions.ts";
import { attempt } from "../../state/show-error.ts";
import { Icon } from "../../ui/icon.tsx";
import { openMenu } from "../../ui/menu.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import type { ListControl } from "../../ui/virtual-list.tsx";
import { SessionItem } from "./session-item.tsx";
import { setVisibleSessions } from "./visible-sessions.ts";

/** Sessions that match the filter, by directory. There may be thousands. */
export function SessionList(props: { onNavigate: () => void }): JSX.Element {
  let control: ListControl | null = null;
  const rows = createMemo(() => {
    // If a filter is set, also show matching sessions of folded directories.
    const folded = isAll() ? foldedDirectories() : new Set<string>();
    const all = listRows(sessionTree(allSessions(), sessionFilter()), folded);
    return new Map(all.map((row) => [idOf(row), row]));
  });
  // Activity moves a session to the top. While a menu is open, no row moves: people would miss the item at which they
  // point.
  const ids = createMemo<readonly string[]>(
    (shown) => (openMenu() === null ? [...rows().keys()] : shown.filter((id) => rows().has(id))),
    [],
    { equals: areSameIds },
  );
  createEffect(() => setVisibleSessions(ids().flatMap((id) => sessionIn(id) ?? [])));
  // Keep the selected session visible when the user switches sessions with keys.
  createEffect(
    on(
      () => sessionOf(currentRoute()),
      (sessionId) => {
        if (sessionId !== null) queueMicrotask(() => control?.reveal(sessionPrefix + sessionId));
      },
    ),
  );
  const depthOf = (id: string): number => {
    const row = rows().get(id);
    return row?.kind === "session" ? row.depth : 0;
  };
  return (
    <nav class="session-nav" aria-label={t().nav.sessions}>
      <VirtualList
        ids={ids()}
        label={t().nav.sessions}
        kind="list"
        estimate={33}
        class="session-list"
        rowClass="session-place"
        level={(id) => depthOf(id) + 1}
        control={(given) => (control = given)}
        onEnd={() => {
          if (hasMoreSessions()) void attempt(loadMoreSessions);
        }}
        row={(id) => (
          <Show
            when={sessionIn(id)}
            fallback={<DirectoryName directory={id.slice(directoryPrefix.length)} />}
          >
            {(sessionId) => (
              <SessionItem
                sessionId={sessionId()}
                depth={depthOf(id)}
                onNavigate={() => props.onNavigate()}
              />
            )}
          </Show>
        )}
        foot={
          <Show when={sessionsLoaded() && !hasMoreSessions() && ids().length === 0}>
            <p class="empty">{isAll() ? t().sessions.none : t().sessions.noneFound}</p>
          </Show>
        }
      />
    </nav>
  );
}

function DirectoryName(props: { directory: string }): JSX.Element {
  const path = () => splitPath(props.directory);
  const isFolded = (): boolean => isAll() && foldedDirectories().has(props.directory);
  return (
    <h2 class="directory" title={visibleLine(props.directory)}>
      <button
        type="button"
        aria-expanded={!isFolded()}
        onClick={() => toggleFolded(props.directory)}
      >
        <Icon name={isFolded() ? "chevronRight" : "chevronDown"} size={10} />
        <span class="directory-folder">{visibleLine(path().folder)}</span>
        <span class="directory-above">{visibleLine(path().above)}</span>
      </button>
    </h2>
  );
}

const directoryPrefix = "directory:";
const sessionPrefix = "session:";

function idOf(row: ListRow): string {
  return row.kind === "directory"
    ? directoryPrefix + row.directory
    : sessionPrefix + row.session.sessionId;
}

/** Returns the session id of a row; null for a directory name. */
function sessionIn(id: string): string | null {
  return id.startsWith(sessionPrefix) ? id.slice(sessionPrefix.length) : null;
}

function isAll(): boolean {
  const { search, show } = sessionFilter();
  return search === "" && show === "all";
}
