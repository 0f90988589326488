import { createEffect, createMemo, createSignal, Match, onCleanup, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { entryOf } from "@holdfast/model/conversation.ts";
import { areSameIds } from "@holdfast/model/same-ids.ts";
import { mayPrompt } from "../../state/account.ts";
import { draftOf } from "../../state/drafts.ts";
import { openSession } from "../../state/open-session.ts";
import { outboxOf } from "../../state/outbox.ts";
import { detailOf, sessions } from "../../state/sessions.ts";
import { isTour } from "../../state/tour.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import type { ListControl } from "../../ui/virtual-list.tsx";
import { AskDock } from "../asks/ask-dock.tsx";
import { Composer } from "../composer/composer.tsx";
import { QueuePanel } from "../composer/queue-panel.tsx";
import { Link } from "../link.tsx";
import { focusTarget, setFocusTarget } from "./focus-target.ts";
import { EntryRow } from "./entry-row.tsx";
import { HoldBanner } from "./hold-banner.tsx";
import { OutgoingRow } from "./outgoing-row.tsx";
import { SessionContext } from "./session-context.ts";
import { SessionHead } from "./session-head.tsx";
import { setSessionKeys } from "./session-keys.ts";
import { TourGuide } from "./tour-guide.tsx";

/** A session: conversation, queue and prompt box. */
export function SessionPage(props: { sessionId: string; onMenu: () => void }): JSX.Element {
  const open = openSession(props.sessionId);
  const session = () => detailOf(props.sessionId) ?? sessions[props.sessionId] ?? null;
  const [isAtEnd, setAtEnd] = createSignal(true);
  let control: ListControl | null = null;

  // A growing answer changes no ids, so the list does not have to be laid out again.
  const ids = createMemo(
    () => [
      ...open.origin().map(({ id }) => id),
      ...open.conversation().entries.map(({ id }) => id),
      ...outboxOf(props.sessionId)
        .filter(({ promptId }) => !open.conversation().prompts.has(promptId))
        .map(({ promptId }) => `outgoing:${promptId}`),
    ],
    [],
    { equals: areSameIds },
  );
  const entry = (id: string) =>
    entryOf(open.conversation(), id) ?? open.origin().find((known) => known.id === id) ?? null;

  createEffect(() => {
    const target = focusTarget();
    if (open.status() !== "ready" || target === null || control === null) return;
    if (!open.conversation().places.has(target)) return;
    control.toRow(target);
    setFocusTarget(null);
  });
  setSessionKeys({
    toEnd: () => control?.toEnd(),
    scrollBy: (pages) => control?.scrollBy(pages),
  });
  onCleanup(() => setSessionKeys(null));

  return (
    <SessionContext.Provider value={open}>
      <section class="session-page">
        <SessionHead sessionId={props.sessionId} onMenu={() => props.onMenu()} />
        <HoldBanner session={session()} />
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
                // If loading fails, scrolling to the beginning tries again.
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
