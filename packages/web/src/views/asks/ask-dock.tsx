import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { mayDecide } from "../../state/account.ts";
import {
  answerAsk,
  asksBelow,
  denyAsk,
  isAnswering,
  isDenied,
  openAsks,
} from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { Link } from "../link.tsx";
import { AskCard } from "./ask-card.tsx";
import { askQuestion } from "./ask-words.ts";
import { noticedAfter } from "./noticed.ts";

/** Shows the open permission requests and questions of this session, and links to those of its child sessions. */
export function AskDock(props: { sessionId: string }): JSX.Element {
  const own = createMemo(() => openAsks(props.sessionId));
  const first = createMemo(() => own().find((ask) => isUnanswered(ask))?.askId ?? null);
  const below = createMemo(() => asksBelow(props.sessionId));
  return (
    <Show when={own().length + below().length > 0}>
      <div class="ask-dock">
        <For each={below()}>
          {(ask) => (
            <Link class="ask-elsewhere" to={{ page: "session", sessionId: ask.sessionId }}>
              <span class="status-mark asking" aria-hidden="true" />
              {t().app.colon({
                subject: shownTitle(sessions[ask.sessionId], t().asks.otherSession),
                text: visibleText(askQuestion(ask)),
              })}
            </Link>
          )}
        </For>
        <Show when={mayDecide()}>
          <AnswerAll asks={own()} />
        </Show>
        <For each={own()}>
          {(ask, place) => (
            <AskCard
              ask={ask}
              isFirst={ask.askId === first()}
              isOneOfMany={own().length > 1}
              place={place()}
            />
          )}
        </For>
      </div>
    </Show>
  );
}

/**
 * Answers several permission requests together. A request that has just appeared is not included, because the user
 * may be pressing the button already.
 */
function AnswerAll(props: { asks: readonly OpenAsk[] }): JSX.Element {
  const [noticed, setNoticed] = createSignal<ReadonlySet<string>>(new Set());
  createEffect(
    on(
      () => props.asks,
      (asks) => {
        const timer = setTimeout(
          () => setNoticed(new Set(asks.map(({ askId }) => askId))),
          noticedAfter,
        );
        onCleanup(() => clearTimeout(timer));
      },
    ),
  );
  const covered = createMemo(() =>
    props.asks.filter(
      (ask) =>
        noticed().has(ask.askId) &&
        isUnanswered(ask) &&
        askSubject(ask.extra).kind === "permission",
    ),
  );
  return (
    <Show when={covered().length > 1}>
      <div class="ask-all" role="group" aria-label={t().asks.together({ count: covered().length })}>
        <span class="ask-kind">{t().asks.together({ count: covered().length })}</span>
        <button
          type="button"
          class="button small"
          onClick={() => {
            for (const ask of covered()) void answerAsk(ask, { verdict: "allow" });
          }}
        >
          {t().asks.allowAll({ count: covered().length })}
        </button>
        <button
          type="button"
          class="button small"
          onClick={() => {
            for (const ask of covered()) denyAsk(ask, "");
          }}
        >
          {t().asks.denyAll({ count: covered().length })}
        </button>
      </div>
    </Show>
  );
}

function isUnanswered(ask: OpenAsk): boolean {
  return !isDenied(ask) && !isAnswering(ask);
}
