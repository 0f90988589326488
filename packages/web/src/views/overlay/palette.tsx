import type { Session } from "@holdfast/sdk";
import { createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { matchScore } from "@holdfast/model/match.ts";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { sessionOf } from "../../model/route.ts";
import { currentRoute, go } from "../../state/router.ts";
import { allSessions, searchSessions, sessions } from "../../state/sessions.ts";
import { changeSettings, theme } from "../../state/settings.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { ChoiceDialog } from "../../ui/choice-dialog.tsx";
import type { Choice } from "../../ui/choice-dialog.tsx";
import { cancelSession, clearQueue, sessionActions, stopRun } from "../session-actions.tsx";
import { sessionKeys } from "../session/session-keys.ts";
import { visibleSections } from "../settings/visible-sections.ts";
import { setOverlay } from "./overlay.ts";
import { setSearchWords } from "./search-words.ts";

const shownAtMost = 60;

/** Command palette: finds sessions, pages and actions by name. */
export function Palette(): JSX.Element {
  const [typed, setTyped] = createSignal("");
  const found = createMemo(() => {
    const scored = choices().map((choice) => ({
      choice,
      score: matchScore(`${choice.label} ${choice.detail}`, typed()),
    }));
    const good = scored.filter(({ score }) => score > 0);
    const sorted = typed() === "" ? good : good.toSorted((left, right) => right.score - left.score);
    return sorted.slice(0, shownAtMost).map(({ choice }) => choice);
  });
  createEffect(() => {
    const words = typed();
    if (words.trim().length < 2) return;
    // If the search fails, show only matches among loaded sessions.
    const timer = setTimeout(() => void searchSessions(words).catch(() => {}), 200);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <ChoiceDialog
      label={t().palette.open}
      placeholder={t().palette.placeholder}
      typed={typed()}
      onType={setTyped}
      choices={[...found(), searchChoice(typed())]}
      empty={t().palette.none}
      onClose={() => setOverlay(null)}
    />
  );
}

/** Actions on the page of a session. */
function pageChoices(): readonly Choice[] {
  const keys = sessionKeys();
  if (keys === null) return [];
  const model = document.querySelector<HTMLElement>(".run-choice[aria-haspopup=dialog]");
  return [
    {
      label: t().find.placeholder,
      detail: "Ctrl F",
      icon: "search",
      run: () => keys.find(),
    },
    ...(model === null
      ? []
      : [
          {
            label: t().models.choose,
            detail: model.textContent,
            icon: "bolt" as const,
            run: () => model.click(),
          },
        ]),
  ];
}

/** Actions on the open session. Stop and clear are left out if there is nothing to stop or to clear. */
function sessionChoices(session: Session): readonly Choice[] {
  const { sessionId, runId, status, queued } = session;
  const stop: Choice = {
    label: t().help.keys.stop,
    detail: "Esc",
    icon: "stop",
    run: () => void stopRun(sessionId),
  };
  const clear: Choice = {
    label: t().commands.clear,
    detail: "/clear",
    icon: "list",
    run: () => void clearQueue(sessionId),
  };
  return [
    ...(runId !== null || status === "working" ? [stop] : []),
    ...pageChoices(),
    {
      label: t().commands.cancel,
      detail: "/cancel",
      icon: "close",
      run: () => void cancelSession(sessionId),
    },
    ...(queued > 0 ? [clear] : []),
    ...sessionActions(session).map(({ label, icon, run }) => ({
      label,
      icon,
      run,
      detail: shownTitle(session),
    })),
  ];
}

/** Searches the texts of all sessions for the typed words. */
function searchChoice(typed: string): Choice {
  return {
    label: typed.trim() === "" ? t().search.title : t().search.searchFor({ words: typed }),
    detail: "S",
    icon: "search",
    run: () => {
      if (typed.trim() !== "") setSearchWords(typed);
      setOverlay("search");
    },
  };
}

function choices(): readonly Choice[] {
  const sessionId = sessionOf(currentRoute());
  const current = sessionId === null ? null : (sessions[sessionId] ?? null);
  const here = current === null ? [] : sessionChoices(current);
  const dark = theme() === "dark" ? "light" : "dark";
  return [
    {
      label: t().sessions.create,
      detail: "N",
      icon: "plus",
      run: () => go({ page: "home" }),
    },
    ...here,
    ...allSessions()
      .toSorted((left, right) => right.updatedAt - left.updatedAt)
      .map((session): Choice => ({
        label: shownTitle(session),
        detail: visibleLine(session.directory),
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
    ...visibleSections().map((section): Choice => ({
      label: t().settings.sections[section],
      detail: t().nav.settings,
      icon: "gear",
      run: () => go({ page: "settings", section }),
    })),
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
