import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { matchScore } from "@holdfast/model/match.ts";
import { sessionOf } from "../../model/route.ts";
import { currentRoute, go } from "../../state/router.ts";
import { allSessions, searchSessions, sessions } from "../../state/sessions.ts";
import { changeSettings, theme } from "../../state/settings.ts";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { cancelSession, clearQueue, sessionActions } from "../session-actions.tsx";
import { setOverlay } from "./overlay.ts";

interface Choice {
  readonly label: string;
  readonly detail: string;
  readonly icon: IconName;
  readonly run: () => void;
}

const shownAtMost = 60;

/** Command palette: finds sessions, pages and actions by name. */
export function Palette(): JSX.Element {
  let dialog: HTMLDialogElement | undefined;
  const [typed, setTyped] = createSignal("");
  const [place, setPlace] = createSignal(0);
  const found = createMemo(() => {
    const scored = choices().map((choice) => ({
      choice,
      score: matchScore(`${choice.label} ${choice.detail}`, typed()),
    }));
    const good = scored.filter(({ score }) => score > 0);
    const sorted = typed() === "" ? good : good.toSorted((left, right) => right.score - left.score);
    return sorted.slice(0, shownAtMost).map(({ choice }) => choice);
  });
  const pick = (choice: Choice | undefined): void => {
    dialog?.close();
    choice?.run();
  };
  onMount(() => dialog?.showModal());
  createEffect(() => {
    const words = typed();
    if (words.trim().length < 2) return;
    // If the search fails, show only matches among loaded sessions.
    const timer = setTimeout(() => void searchSessions(words).catch(() => {}), 200);
    onCleanup(() => clearTimeout(timer));
  });
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const count = Math.max(1, found().length);
    if (event.key === "ArrowDown") setPlace((before) => (before + 1) % count);
    else if (event.key === "ArrowUp") setPlace((before) => (before - 1 + count) % count);
    else if (event.key === "Enter") pick(found()[place()]);
    else return;
    event.preventDefault();
    dialog?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={t().palette.open}
      onClose={() => setOverlay(null)}
      onClick={(event) => {
        if (event.target === dialog) dialog?.close();
      }}
    >
      <div class="dialog-frame" onKeyDown={onKey}>
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={`palette-${place()}`}
          placeholder={t().palette.placeholder}
          aria-label={t().palette.placeholder}
          value={typed()}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setPlace(0);
          }}
        />
        <ul id="palette-list" role="listbox" aria-label={t().palette.open}>
          <For each={found()}>
            {(choice, index) => (
              <li
                id={`palette-${index()}`}
                role="option"
                aria-selected={index() === place()}
                onPointerMove={() => setPlace(index())}
                onClick={() => pick(choice)}
              >
                <Icon name={choice.icon} />
                <span class="palette-label">{choice.label}</span>
                <span class="palette-detail">{choice.detail}</span>
              </li>
            )}
          </For>
        </ul>
        <Show when={found().length === 0}>
          <p class="empty">{t().palette.none}</p>
        </Show>
      </div>
    </dialog>
  );
}

function choices(): readonly Choice[] {
  const sessionId = sessionOf(currentRoute());
  const current = sessionId === null ? null : (sessions[sessionId] ?? null);
  const here: readonly Choice[] =
    current === null
      ? []
      : [
          {
            label: t().composer.stop,
            detail: t().commands.cancel,
            icon: "stop",
            run: () => void cancelSession(current.sessionId),
          },
          {
            label: t().queue.clear,
            detail: t().commands.clear,
            icon: "list",
            run: () => void clearQueue(current.sessionId),
          },
          ...sessionActions(current).map(({ label, icon, run }) => ({
            label,
            icon,
            run,
            detail: current.title ?? t().sessions.untitled,
          })),
        ];
  const dark = theme() === "dark" ? "light" : "dark";
  return [
    {
      label: t().sessions.create,
      detail: "",
      icon: "plus",
      run: () => go({ page: "home" }),
    },
    ...here,
    ...allSessions()
      .toSorted((left, right) => right.updatedAt - left.updatedAt)
      .map((session): Choice => ({
        label: session.title ?? t().sessions.untitled,
        detail: session.directory,
        icon: "chevronRight",
        run: () => go({ page: "session", sessionId: session.sessionId }),
      })),
    {
      label: t().nav.timeline,
      detail: "",
      icon: "timeline",
      run: () => go({ page: "timeline" }),
    },
    { label: t().nav.health, detail: "", icon: "health", run: () => go({ page: "health" }) },
    {
      label: t().nav.settings,
      detail: "",
      icon: "gear",
      run: () => go({ page: "settings", section: "look" }),
    },
    {
      label: t().settings.themes[dark],
      detail: t().settings.theme,
      icon: "eye",
      run: () => changeSettings({ theme: dark }),
    },
    {
      label: t().settings.languages.en,
      detail: t().settings.language,
      icon: "globe",
      run: () => changeSettings({ locale: "en" }),
    },
    {
      label: t().settings.languages.zh,
      detail: t().settings.language,
      icon: "globe",
      run: () => changeSettings({ locale: "zh" }),
    },
    { label: t().help.title, detail: "?", icon: "ask", run: () => setOverlay("help") },
  ];
}
