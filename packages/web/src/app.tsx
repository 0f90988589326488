import {
  createEffect,
  createSignal,
  ErrorBoundary,
  lazy,
  Match,
  onCleanup,
  Show,
  Suspense,
  Switch,
} from "solid-js";
import type { JSX } from "solid-js";
import { t } from "./i18n/text.ts";
import { sessionOf } from "./model/route.ts";
import { openAsks } from "./state/asks.ts";
import { connectionStatus } from "./state/feed.ts";
import { currentRoute } from "./state/router.ts";
import { sessions } from "./state/sessions.ts";
import { shownTitle } from "./state/shown-title.ts";
import { Toaster } from "./ui/toaster.tsx";
import { Announcer } from "./views/announcer.tsx";
import { ConnectionBanner } from "./views/connection-banner.tsx";
import { HomePage } from "./views/home-page.tsx";
import { Help } from "./views/overlay/help.tsx";
import { overlay } from "./views/overlay/overlay.ts";
import { Palette } from "./views/overlay/palette.tsx";
import { SessionDialogs } from "./views/session-dialogs.tsx";
import { SessionPage } from "./views/session/session-page.tsx";
import { Sidebar } from "./views/sidebar/sidebar.tsx";
import { SignInPage } from "./views/sign-in-page.tsx";

const TimelinePage = lazy(() =>
  import("./views/timeline/timeline-page.tsx").then(({ TimelinePage }) => ({
    default: TimelinePage,
  })),
);
const SessionTimelinePage = lazy(() =>
  import("./views/timeline/session-timeline-page.tsx").then(({ SessionTimelinePage }) => ({
    default: SessionTimelinePage,
  })),
);
const ChangesPage = lazy(() =>
  import("./views/changes/changes-page.tsx").then(({ ChangesPage }) => ({ default: ChangesPage })),
);
const HealthPage = lazy(() =>
  import("./views/health/health-page.tsx").then(({ HealthPage }) => ({ default: HealthPage })),
);
const SettingsPage = lazy(() =>
  import("./views/settings/settings-page.tsx").then(({ SettingsPage }) => ({
    default: SettingsPage,
  })),
);

const SearchDialog = lazy(() =>
  import("./views/overlay/search.tsx").then(({ SearchDialog }) => ({ default: SearchDialog })),
);

/** The whole page: the session list at the side, and the view that the address names. */
export function App(): JSX.Element {
  const [isMenuOpen, setMenuOpen] = createSignal(false);
  let opener: Element | null = null;
  const openMenu = (): void => {
    opener = document.activeElement;
    setMenuOpen(true);
    document.querySelector<HTMLElement>(".sidebar")?.focus();
  };
  const closeMenu = (): void => {
    if (!isMenuOpen()) return;
    setMenuOpen(false);
    if (opener instanceof HTMLElement) opener.focus();
  };
  // Close the menu when the screen becomes wide, because then the session list is always visible.
  const isRoomy = matchMedia("(min-width: 761px)");
  isRoomy.addEventListener("change", closeMenu);
  onCleanup(() => isRoomy.removeEventListener("change", closeMenu));
  createEffect(() => {
    const sessionId = sessionOf(currentRoute());
    const title = shownTitle(sessionId === null ? null : sessions[sessionId], t().app.tagline);
    document.title = t().app.documentTitle({ title, waiting: openAsks().length });
  });
  return (
    <ErrorBoundary fallback={(error) => <Crashed error={error} />}>
      <Show when={connectionStatus() !== "signedOut"} fallback={<SignInPage />}>
        <a class="skip-link" href="#main">
          {t().app.skip}
        </a>
        <div class="layout" classList={{ "menu-open": isMenuOpen() }}>
          <Sidebar
            isAbove={isMenuOpen()}
            onNavigate={() => setMenuOpen(false)}
            onClose={closeMenu}
          />
          <div class="scrim" onClick={closeMenu} />
          <main id="main" tabindex="-1" inert={isMenuOpen()}>
            <ConnectionBanner />
            <Suspense>
              <Page onMenu={openMenu} />
            </Suspense>
          </main>
        </div>
        <SessionDialogs />
        <Show when={overlay() === "palette"}>
          <Palette />
        </Show>
        <Show when={overlay() === "search"}>
          <Suspense>
            <SearchDialog />
          </Suspense>
        </Show>
        <Show when={overlay() === "help"}>
          <Help />
        </Show>
      </Show>
      <Announcer />
      <Toaster />
    </ErrorBoundary>
  );
}

function Page(props: { onMenu: () => void }): JSX.Element {
  const page = () => currentRoute().page;
  return (
    <Switch fallback={<HomePage onMenu={props.onMenu} />}>
      <Match when={page() === "session" ? sessionOf(currentRoute()) : null} keyed>
        {(sessionId) => <SessionPage sessionId={sessionId} onMenu={props.onMenu} />}
      </Match>
      <Match when={page() === "sessionTimeline" ? sessionOf(currentRoute()) : null} keyed>
        {(sessionId) => <SessionTimelinePage sessionId={sessionId} onMenu={props.onMenu} />}
      </Match>
      <Match when={page() === "changes" ? sessionOf(currentRoute()) : null} keyed>
        {(sessionId) => <ChangesPage sessionId={sessionId} onMenu={props.onMenu} />}
      </Match>
      <Match when={page() === "timeline"}>
        <TimelinePage onMenu={props.onMenu} />
      </Match>
      <Match when={page() === "health"}>
        <HealthPage onMenu={props.onMenu} />
      </Match>
      <Match when={page() === "settings"}>
        <SettingsPage onMenu={props.onMenu} />
      </Match>
    </Switch>
  );
}

function Crashed(props: { error: unknown }): JSX.Element {
  console.error(props.error);
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>{t().app.name}</h1>
        <p>{t().errors.crashed}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {t().errors.reload}
        </button>
      </div>
    </main>
  );
}
