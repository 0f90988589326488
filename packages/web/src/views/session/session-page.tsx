import { createMemo, createSignal, lazy, Match, onCleanup, Show, Suspense, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { entryOf } from "@holdfast/model/conversation.ts";
import { isJoined, rowOf } from "@holdfast/model/fold-calls.ts";
import { areSameIds } from "@holdfast/model/same-ids.ts";
import { mayPrompt } from "../../state/account.ts";
import { draftOf } from "../../state/drafts.ts";
import { openSession } from "../../state/open-session.ts";
import { outboxOf } from "../../state/outbox.ts";
import { detailOf, sessions } from "../../state/sessions.ts";
import { isTour } from "../../state/tour.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { createTextMarks } from "../../ui/text-marks.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import type { ListControl } from "../../ui/virtual-list.tsx";
import { AskDock } from "../asks/ask-dock.tsx";
import { Composer } from "../composer/composer.tsx";
import { QueuePanel } from "../composer/queue-panel.tsx";
import { Link } from "../link.tsx";
import { EntryRow } from "./entry-row.tsx";
import { FindBar } from "./find-bar.tsx";
import { followTarget } from "./follow-target.ts";
import { HoldBanner } from "./hold-banner.tsx";
import { OutgoingRow } from "./outgoing-row.tsx";
import { revealText, scrollToRange } from "./reveal-text.ts";
import { SessionContext } from "./session-context.ts";
import { SessionHead } from "./session-head.tsx";
import { setSessionKeys } from "./session-keys.ts";
import { TodoPanel } from "./todo-panel.tsx";
import { TourGuide } from "./tour-guide.tsx";

const ActivityStrip = lazy(() =>
  import("../timeline/activity-strip.tsx").then(({ ActivityStrip }) => ({
    default: ActivityStrip,
  })),
);

/** A session: conversation, queue and prompt box. */
export function SessionPage(props: { sessionId: string; onMenu: () => void }): JSX.Element {
  const open = openSession(props.sessionId);
  const session = () => detailOf(props.sessionId) ?? sessions[props.sessionId] ?? null;
  const [isAtEnd, setAtEnd] = createSignal(true);
  const [isFinding, setFinding] = createSignal(false);
  let control: ListControl | null = null;
  let page: HTMLElement | undefined;

  // While an answer grows, the ids of the conversation's entries stay the same, so the page does not lay out the list
  // of entries again.
  const ids = createMemo(
    () => [
      ...open.origin().map(({ id }) => id),
      ...open
        .conversation()
        .entries.filter((_, place) => !isJoined(open.conversation(), place))
        .map(({ id }) => id),
      ...outboxOf(props.sessionId)
        .filter(({ promptId }) => !open.conversation().prompts.has(promptId))
        .map(({ promptId }) => `outgoing:${promptId}`),
    ],
    [],
    { equals: areSameIds },
  );
  const entry = (id: string) =>
    entryOf(open.conversation(), id) ?? open.origin().find((known) => known.id === id) ?? null;

  const toRow = (entryId: string): void => control?.toRow(rowOf(open.conversation(), entryId));
  const list = (): HTMLElement | null => page?.querySelector<HTMLElement>(".virtual-list") ?? null;
  const marks = createTextMarks(() => list() ?? undefined);
  followTarget(open, (entryId, { callId, words = [] }) => {
    toRow(entryId);
    marks.show(words);
    const root = list();
    if (root === null) return;
    void revealText(root, { entryId, callId: callId ?? null, words }).then(([range]) =>
      range === undefined ? undefined : scrollToRange(root, range),
    );
  });
  const closeFind = (): void => {
    setFinding(false);
    marks.show([]);
    list()?.focus();
  };
  setSessionKeys({
    find: () => setFinding(true),
    toEnd: () => control?.toEnd(),
    scrollBy: (pages) => control?.scrollBy(pages),
  });
  onCleanup(() => setSessionKeys(null));

  return (
    <SessionContext.Provider value={open}>
      <section class="session-page" ref={page}>
        <SessionHead
          sessionId={props.sessionId}
          onMenu={() => props.onMenu()}
          strip={
            <Suspense>
              <ActivityStrip open={open} />
            </Suspense>
          }
        />
        <HoldBanner session={session()} />
        <Show when={isFinding() && open.status() === "ready"}>
          <FindBar list={list} marks={marks} toRow={toRow} onClose={closeFind} />
        </Show>
        <Switch>
          <Match when={open.status() === "missing"}>
            <div class="page-message">
              <p>{t().sessions.missing}</p>
              <Link class="button" to={{ page: "home" }}>
                {t().sessions.create}
              </Link>
            </div>
          </Match>
          <Match when={open.status() === "failed"}>
            <div class="page-message">
              <p>{t().sessions.failed}</p>
              <button type="button" class="button" onClick={() => location.reload()}>
                {t().signIn.retry}
              </button>
            </div>
          </Match>
          <Match when={open.status() === "loading"}>
            <div class="page-message quiet" role="status">
              {t().app.loading}
            </div>
          </Match>
          <Match when={open.status() === "ready"}>
            <VirtualList
              ids={ids()}
              label={t().conversation.label}
              kind="log"
              estimate={120}
              class="virtual-list"
              rowClass="virtual-row"
              onBegin={() => {
                // If this fails, scrolling to the beginning tries again.
                if (open.hasEarlier()) void open.loadEarlier().catch(() => {});
              }}
              onAtEnd={setAtEnd}
              control={(given) => (control = given)}
              head={
                <div class="list-head">
                  <Show when={open.hasEarlier()}>{t().conversation.earlier}</Show>
                  <Show when={ids().length === 0}>
                    <p class="nothing-yet">{t().conversation.empty}</p>
                  </Show>
                </div>
              }
              row={(id) =>
                id.startsWith("outgoing:") ? (
                  <OutgoingRow sessionId={props.sessionId} promptId={id.slice(9)} />
                ) : (
                  <EntryRow entry={() => entry(id)} />
                )
              }
            />
          </Match>
        </Switch>
        <Show when={open.status() !== "missing" && open.status() !== "failed"}>
          <div class="dock">
            <Show when={!isAtEnd()}>
              <button type="button" class="to-end" onClick={() => control?.toEnd()}>
                <Icon name="arrowDown" size={14} />
                {t().conversation.toBottom}
              </button>
            </Show>
            <Show when={isTour(props.sessionId)}>
              <TourGuide />
            </Show>
            <TodoPanel />
            <AskDock sessionId={props.sessionId} />
            <QueuePanel sessionId={props.sessionId} />
            <Show
              when={mayPrompt() && session()?.status !== "deleted"}
              fallback={
                <div class="page-message quiet">
                  <p>{mayPrompt() ? t().sessions.isDeleted : t().composer.observe}</p>
                  <Show when={draftOf(props.sessionId) !== ""}>
                    <p class="unsent">
                      {t().composer.unsent({ text: draftOf(props.sessionId) })}
                      <CopyButton text={() => draftOf(props.sessionId)} />
                    </p>
                  </Show>
                </div>
              }
            >
              <Composer sessionId={props.sessionId} onSent={() => control?.toEnd()} />
            </Show>
          </div>
        </Show>
      </section>
    </SessionContext.Provider>
  );
}
