import { createMemo, createResource, createSignal, For, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { visibleLine, visibleText } from "@holdfast/model/visible-text.ts";
import { isAdmin, mayPrompt } from "../state/account.ts";
import { openAsks } from "../state/asks.ts";
import { holdfast } from "../state/client.ts";
import { onFeed } from "../state/feed.ts";
import { allSessions, sessions, sessionsLoaded } from "../state/sessions.ts";
import { shownTitle } from "../state/shown-title.ts";
import { startTour } from "../state/tour.ts";
import { Icon } from "../ui/icon.tsx";
import { Ago } from "../ui/time.tsx";
import { askQuestion } from "./asks/ask-words.ts";
import { ConnectTiles } from "./connect-tiles.tsx";
import { Link } from "./link.tsx";
import { MenuButton } from "./menu-button.tsx";
import { NewSessionForm } from "./new-session-form.tsx";
import { createNewSession } from "./new-session.ts";
import { StatusChip } from "./status-mark.tsx";

const examples = [
  "say hello slowly; append notes.txt it works; say done",
  "think about it; parallel { tool search promises; tool read SPEC.md }; say found it",
  "ask to append notes.txt allowed; say thank you",
  "child { say from a child slowly }; words 200 every 30ms",
];

/** The start page: a form for a new session, open asks and recent sessions. */
export function HomePage(props: { onMenu: () => void }): JSX.Element {
  const recent = createMemo(() =>
    allSessions()
      .filter(({ archived, parent }) => !archived && parent === null)
      .toSorted((left, right) => right.updatedAt - left.updatedAt)
      .slice(0, 6),
  );
  const session = createNewSession();
  /** Loads the default model, which only an admin may see. Null if the model cannot be loaded. */
  const loadModel = async (): Promise<{ usual: string | null } | null> =>
    holdfast.providers.list().then(
      ({ model: usual }) => ({ usual }),
      () => null,
    );
  const [model, { refetch }] = createResource(isAdmin, loadModel, { initialValue: null });
  onCleanup(
    onFeed((item) => {
      if (item.type === "maintenance") void refetch();
    }),
  );
  /** Whether the demo agent answers in the chosen directory. */
  const isDemo = (): boolean => {
    const { workspace } = session.choices();
    if (workspace === null) return model.latest?.usual === null;
    return workspace.demo && session.hosted() === null;
  };
  const [isConnecting, setConnecting] = createSignal(false);
  const isFirst = (): boolean => sessionsLoaded() && recent().length === 0;
  const write = (text: string): void => {
    session.prompt.write(text);
    session.keepDirectory();
  };
  return (
    <section class="home-page">
      <header class="page-head bare">
        <MenuButton onMenu={() => props.onMenu()} />
      </header>
      <div class="home-body">
        <h1>{t().home.title}</h1>
        <Show when={mayPrompt()}>
          <NewSessionForm session={session} />
        </Show>
        <Show when={model.latest?.usual === null || isConnecting()}>
          <section class="connect">
            <h2>{t().home.connect}</h2>
            <ConnectTiles onConnected={() => void refetch()} onOpen={setConnecting} />
          </section>
        </Show>
        <Show when={mayPrompt() && (recent().length === 0 || model.latest?.usual === null)}>
          <div class="tour-start">
            <button
              type="button"
              class="button"
              disabled={session.directory() === ""}
              onClick={() => void startTour(session.directory())}
            >
              <Icon name="bolt" />
              {t().tour.start}
            </button>
            <span class="quiet">{t().tour.about}</span>
          </div>
        </Show>
        <Show when={openAsks().length > 0}>
          <h2>{t().home.needsYou}</h2>
          <ul class="home-list">
            <For each={openAsks()}>
              {(ask) => (
                <li>
                  <Link to={{ page: "session", sessionId: ask.sessionId }} class="home-session">
                    <span class="status-mark asking" aria-hidden="true" />
                    <span class="home-ask">
                      <span class="home-title">{visibleText(askQuestion(ask))}</span>
                      <span class="home-where">{shownTitle(sessions[ask.sessionId], "")}</span>
                    </span>
                    <Ago at={ask.openedAt} />
                  </Link>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <Show when={isFirst() && isDemo()}>
          <section class="examples">
            <h2>{t().home.demoHint}</h2>
            <For each={examples}>
              {(example) => (
                <button type="button" class="example" onClick={() => write(example)}>
                  <code>{example}</code>
                </button>
              )}
            </For>
          </section>
        </Show>
        <Show when={recent().length > 0}>
          <h2>{t().home.recent}</h2>
          <ul class="home-list">
            <For each={recent()}>
              {(session) => (
                <li>
                  <Link to={{ page: "session", sessionId: session.sessionId }} class="home-session">
                    <span class="home-title">{shownTitle(session)}</span>
                    <span class="path">{visibleLine(session.directory)}</span>
                    <StatusChip session={session} />
                    <Ago at={session.updatedAt} />
                  </Link>
                </li>
              )}
            </For>
          </ul>
        </Show>
      </div>
    </section>
  );
}
