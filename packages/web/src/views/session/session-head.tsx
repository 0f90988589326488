import type { Usage } from "@holdfast/sdk";
import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { splitPath } from "@holdfast/model/session-tree.ts";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { mayPrompt } from "../../state/account.ts";
import { currentRoute, go } from "../../state/router.ts";
import { detailOf, sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { Menu } from "../../ui/menu.tsx";
import { amount, money } from "../../ui/numbers.ts";
import { Link } from "../link.tsx";
import { sessionActions, stopRun } from "../session-actions.tsx";
import { StatusChip } from "../status-mark.tsx";
import { MenuButton } from "../menu-button.tsx";
import { SandboxAlert } from "./sandbox-alert.tsx";
import { WorkspaceAlert } from "./workspace-alert.tsx";

function above(directory: string): string {
  const path = splitPath(directory).above;
  return path === "" ? "" : visibleLine(`${path}/`);
}

/** The tokens and the cost of the session. A narrow window has room for the cost only. */
function UsedSoFar(props: { usage: Usage }): JSX.Element {
  const tokens = (): string => {
    const count = props.usage.inputTokens + props.usage.outputTokens;
    return count === 0 ? "" : t().conversation.tokens({ count: amount(count) });
  };
  return (
    <span class="head-usage">
      <Show when={props.usage.cost > 0} fallback={tokens()}>
        <span class="head-tokens">{tokens()} · </span>
        {money(props.usage.cost)}
      </Show>
    </span>
  );
}

/** Title, directory and status of a session, and the Stop button. */
export function SessionHead(props: {
  sessionId: string;
  onMenu: () => void;
  /** A small bar that shows the activity of the last minutes. */
  strip?: JSX.Element;
}): JSX.Element {
  const session = () => detailOf(props.sessionId) ?? sessions[props.sessionId] ?? null;
  const isTimeline = (): boolean => currentRoute().page === "sessionTimeline";
  const isChanges = (): boolean => currentRoute().page === "changes";
  const isBusy = (): boolean => session()?.runId !== null || session()?.status === "working";
  return (
    <header class="page-head">
      <MenuButton onMenu={props.onMenu} />
      <div class="head-words">
        <h1>{session() === null ? t().app.name : shownTitle(session())}</h1>
        <Show when={session()}>
          {(known) => (
            <p class="head-line">
              <Show when={known().parent}>
                {(parent) => (
                  <Link
                    class="parent-link"
                    to={{ page: "session", sessionId: parent().sessionId }}
                    title={t().sessions.parent}
                  >
                    <Icon name="branch" size={12} /> {t().sessions.parent}
                  </Link>
                )}
              </Show>
              <bdi class="path" title={visibleLine(known().directory)}>
                <span class="path-above">{above(known().directory)}</span>
                {visibleLine(splitPath(known().directory).folder)}
              </bdi>
              <UsedSoFar usage={known().usage} />
              {props.strip}
              <WorkspaceAlert directory={known().directory} />
              <SandboxAlert />
            </p>
          )}
        </Show>
      </div>
      <Show when={session()}>
        {(known) => (
          <div class="head-actions">
            <StatusChip session={known()} />
            <Show when={mayPrompt() && isBusy()}>
              <button
                type="button"
                class="button small stop"
                title={t().help.keys.stop}
                onClick={() => void stopRun(props.sessionId)}
              >
                <Icon name="stop" size={14} />
                <span class="stop-word">{t().composer.stop}</span>
                <kbd>{t().composer.stopHint}</kbd>
              </button>
            </Show>
            <IconButton
              icon="changes"
              label={isChanges() ? t().changes.hide : t().changes.title}
              aria-pressed={isChanges()}
              onClick={() =>
                go(
                  isChanges()
                    ? { page: "session", sessionId: props.sessionId }
                    : { page: "changes", sessionId: props.sessionId, runId: null },
                )
              }
            />
            <IconButton
              icon="timeline"
              label={t().nav.timeline}
              aria-pressed={isTimeline()}
              onClick={() =>
                go({
                  page: isTimeline() ? "session" : "sessionTimeline",
                  sessionId: props.sessionId,
                })
              }
            />
            <Menu label={t().app.more} items={sessionActions(known())} />
          </div>
        )}
      </Show>
    </header>
  );
}
