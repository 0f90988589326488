import type { MaintenanceAction } from "@holdfast/sdk";
import { createResource, For, onCleanup, onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import { isAdmin } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { onFeed } from "../../state/feed.ts";
import {
  change,
  forceAction,
  loadMaintenance,
  maintenanceActions,
} from "../../state/maintenance.ts";
import { sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { attempt } from "../../state/show-error.ts";
import { Ago } from "../../ui/time.tsx";
import { Link } from "../link.tsx";
import { whoOf } from "../../state/who.ts";
import { ImportSession } from "./import-session.tsx";
import { Loaded } from "./loaded.tsx";

/** Loaded directories and recent config changes. */
export function MaintenanceSection(): JSX.Element {
  const [workspaces, { refetch }] = createResource(() => holdfast.workspaces.list());
  onMount(() => void attempt(loadMaintenance));
  onCleanup(
    onFeed((item) => {
      if (item.type === "maintenance") void refetch();
    }),
  );
  const refresh = (directories: readonly string[] | null): void =>
    void change(() => holdfast.maintenance.refresh(directories));
  return (
    <div class="stack">
      <ImportSession />
      <h2 class="section-title">{t().maintenance.loaded}</h2>
      <p class="quiet">{t().maintenance.what}</p>
      <Loaded resource={workspaces}>
        {(list) => (
          <>
            <ul class="cards">
              <For each={list()} fallback={<li class="quiet">{t().maintenance.nothingOpen}</li>}>
                {(workspace) => (
                  <li class="card">
                    <div class="card-head">
                      <code>{visibleLine(workspace.directory)}</code>
                      <Show when={workspace.generation}>
                        {(generation) => (
                          <span class="quiet">
                            {t().maintenance.generation({
                              number: generation().number,
                              runs: generation().runs.length,
                            })}
                          </span>
                        )}
                      </Show>
                      <Show when={isAdmin()}>
                        <button
                          type="button"
                          class="button small push"
                          onClick={() => refresh([workspace.directory])}
                        >
                          {t().maintenance.refresh}
                        </button>
                      </Show>
                    </div>
                    <Show when={workspace.problem}>
                      {(problem) => <p class="problem">{problem()}</p>}
                    </Show>
                    <For each={workspace.retired}>
                      {(generation) => (
                        <p class="quiet">
                          {t().maintenance.retired({
                            number: generation.number,
                            runs: generation.runs.length,
                          })}
                        </p>
                      )}
                    </For>
                  </li>
                )}
              </For>
            </ul>
            <Show when={isAdmin() && list().length > 1}>
              <button type="button" class="button" onClick={() => refresh(null)}>
                {t().maintenance.refreshAll}
              </button>
            </Show>
          </>
        )}
      </Loaded>
      <h2 class="section-title">{t().maintenance.actions}</h2>
      <ul class="cards">
        <For
          each={maintenanceActions()}
          fallback={<li class="quiet">{t().maintenance.noActions}</li>}
        >
          {(action) => <ActionCard action={action} />}
        </For>
      </ul>
    </div>
  );
}

function ActionCard(props: { action: MaintenanceAction }): JSX.Element {
  const words = () => t().maintenance;
  return (
    <li class="card">
      <div class="card-head">
        <span class={`dot ${props.action.status}`} aria-hidden="true" />
        <strong>{words().kinds[props.action.kind]}</strong>
        <span class="quiet">
          {words().causes[props.action.cause]} · {whoOf(props.action.actor)}
        </span>
        <span class="push quiet">
          {words().status[props.action.status]} <Ago at={props.action.requestedAt} />
        </span>
      </div>
      <Show when={props.action.affectedDirectories.length > 0}>
        <p class="path">{props.action.affectedDirectories.join(", ")}</p>
      </Show>
      <For each={props.action.problems}>
        {(problem) => <p class="problem">{problem.message}</p>}
      </For>
      <Show when={props.action.endedAt === null && props.action.waitingFor.length > 0}>
        <div class="card-actions">
          <span class="quiet">{words().waits}</span>
          <For each={props.action.waitingFor}>
            {(run) => (
              <Link to={{ page: "session", sessionId: run.sessionId }}>
                {shownTitle(sessions[run.sessionId], run.sessionId)}
              </Link>
            )}
          </For>
          <Show when={isAdmin()}>
            <button
              type="button"
              class="button small push"
              onClick={() => void forceAction(props.action.actionId)}
            >
              {words().force}
            </button>
          </Show>
        </div>
      </Show>
    </li>
  );
}
