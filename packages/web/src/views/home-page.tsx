import type { SessionMode } from "@holdfast/sdk";
import { createMemo, createResource, createSignal, For, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { visibleLine, visibleText } from "@holdfast/model/visible-text.ts";
import { isAdmin, mayPrompt } from "../state/account.ts";
import { openAsks } from "../state/asks.ts";
import { holdfast } from "../state/client.ts";
import { draftOf, keepDraft, rememberPrompt } from "../state/drafts.ts";
import { onFeed } from "../state/feed.ts";
import { createStartFolder, knownDirectories } from "../state/known-directories.ts";
import { sendPrompt } from "../state/outbox.ts";
import { go } from "../state/router.ts";
import { allSessions, sessions } from "../state/sessions.ts";
import { shownTitle } from "../state/shown-title.ts";
import { attempt } from "../state/show-error.ts";
import { readStored, writeStored } from "../state/storage.ts";
import { startTour } from "../state/tour.ts";
import { Icon } from "../ui/icon.tsx";
import { Ago } from "../ui/time.tsx";
import { askQuestion } from "./asks/ask-words.ts";
import { ModeChoice } from "./composer/mode-choice.tsx";
import {
  createFileDrop,
  createUploads,
  FilePicker,
  pasteFiles,
  UploadList,
} from "./composer/uploads.tsx";
import { ConnectTiles } from "./connect-tiles.tsx";
import { Link } from "./link.tsx";
import { MenuButton } from "./menu-button.tsx";
import { ProjectPicker } from "./project-picker.tsx";
import { StatusChip } from "./status-mark.tsx";

const examples = [
  "say hello slowly; append notes.txt it works; say done",
  "think about it; parallel { tool search promises; tool read SPEC.md }; say found it",
  "ask to append notes.txt allowed; say thank you",
  "child { say from a child slowly }; words 200 every 30ms",
];

/** Name under which the draft for a new session is stored. */
const newSession = "new";

/** The start page: a form for a new session, open asks and recent sessions. */
export function HomePage(props: { onMenu: () => void }): JSX.Element {
  const recent = createMemo(() =>
    allSessions()
      .filter(({ archived, parent }) => !archived && parent === null)
      .toSorted((left, right) => right.updatedAt - left.updatedAt)
      .slice(0, 6),
  );
  const directories = createMemo(() => knownDirectories());
  const start = createStartFolder();
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
  const [directory, setDirectory] = createSignal<string | null>(readStored("directory", null));
  const [text, setText] = createSignal(draftOf(newSession));
  const [mode, setMode] = createSignal<SessionMode>("ask");
  const uploads = createUploads(newSession);
  const drop = createFileDrop(uploads);
  const write = (next: string): void => {
    // While the user types, keep the directory that is shown, even if a session in another directory becomes the
    // latest.
    if (directory() === null && chosen() !== "") setDirectory(chosen());
    keepDraft(newSession, { before: text(), text: next });
    setText(next);
  };
  const [isBusy, setBusy] = createSignal(false);
  const chosen = (): string => directory() ?? directories()[0] ?? start() ?? "";
  const begin = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const words = text().trim();
    if (chosen() === "" || isBusy() || uploads.isBusy()) return;
    setBusy(true);
    await attempt(async () => {
      const { sessionId } = await holdfast.sessions.create({ directory: chosen() });
      // Set the mode before the first prompt, so that it applies to all of the prompt's tool calls.
      if (mode() !== "ask") await holdfast.session(sessionId).setMode(mode());
      writeStored("directory", chosen());
      const attachments = uploads.done().map(({ hash }) => hash);
      uploads.take();
      if (words !== "" || attachments.length > 0) {
        if (words !== "") rememberPrompt(words);
        write("");
        void sendPrompt({ sessionId, text: words, delivery: "queue", attachments });
      }
      go({ page: "session", sessionId });
    });
    setBusy(false);
  };
  return (
    <section class="home-page">
      <header class="page-head bare">
        <MenuButton onMenu={() => props.onMenu()} />
      </header>
      <div class="home-body">
        <h1>{t().home.title}</h1>
        <Show when={mayPrompt()}>
          <form
            class="home-form"
            classList={{ over: drop.isOver() }}
            onSubmit={(event) => void begin(event)}
            {...drop.handlers}
          >
            <UploadList uploads={uploads} />
            <textarea
              id="composer"
              rows="3"
              value={text()}
              aria-label={t().home.prompt}
              placeholder={t().composer.placeholder}
              onInput={(event) => write(event.currentTarget.value)}
              onPaste={(event) => pasteFiles(event, uploads)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }}
            />
            <div class="home-bar">
              <label class="field inline">
                <span>{t().home.directory}</span>
                <input
                  list="directories"
                  value={chosen()}
                  required
                  spellcheck={false}
                  title={t().home.directoryHint}
                  onInput={(event) => setDirectory(event.currentTarget.value)}
                />
              </label>
              <ProjectPicker onPick={setDirectory} />
              <datalist id="directories">
                <For each={directories()}>{(each) => <option value={each} />}</For>
              </datalist>
              <ModeChoice
                value={mode()}
                onChange={async (chosenMode) => void setMode(chosenMode)}
              />
              <FilePicker onFiles={uploads.add} />
              <button type="submit" class="button primary" disabled={isBusy() || uploads.isBusy()}>
                {t().home.start}
              </button>
            </div>
            <Show when={drop.isOver()}>
              <div class="drop-hint">{t().composer.drop}</div>
            </Show>
          </form>
        </Show>
        <Show when={model.latest?.usual === null}>
          <section class="connect">
            <h2>{t().home.connect}</h2>
            <ConnectTiles onConnected={() => void refetch()} />
          </section>
        </Show>
        <Show when={mayPrompt() && (recent().length === 0 || model.latest?.usual === null)}>
          <div class="tour-start">
            <button
              type="button"
              class="button"
              disabled={chosen() === ""}
              onClick={() => void startTour(chosen())}
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
        <Show
          when={recent().length > 0}
          fallback={
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
          }
        >
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
