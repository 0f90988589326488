import type { Workspace } from "@holdfast/sdk";
import { createEffect, createResource, createSignal, For, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { isAdmin } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { onFeed } from "../../state/feed.ts";
import { change } from "../../state/maintenance.ts";
import { isOnItsWay, lookAgain } from "../../state/workspace.ts";
import { Output } from "../../ui/output.tsx";
import { chosenDirectory, DirectoryPicker } from "./directory-picker.tsx";
import { Loaded } from "./loaded.tsx";
import { McpSignInDialog } from "./mcp-sign-in-dialog.tsx";

/** MCP servers of a directory. */
export function McpSection(): JSX.Element {
  const [workspace, { refetch }] = createResource(chosenDirectory, (directory) =>
    holdfast.workspaces.get(directory),
  );
  onCleanup(
    onFeed((item) => {
      if (item.type === "maintenance") void refetch();
    }),
  );
  createEffect(() => {
    if (workspace.error !== undefined || workspace.latest?.mcp.some(isOnItsWay) !== true) return;
    const timer = setTimeout(() => void refetch(), lookAgain);
    onCleanup(() => clearTimeout(timer));
  });
  const [signingIn, setSigningIn] = createSignal<string | null>(null);
  const restart = (name: string): void => {
    const directory = chosenDirectory();
    if (directory !== null) void change(() => holdfast.mcp.restart(name, { directory }));
  };
  return (
    <div class="stack">
      <DirectoryPicker />
      <Loaded resource={workspace}>
        {(known) => (
          <>
            <McpNotices workspace={known()} />
            <Show
              when={known().mcp.length > 0}
              fallback={<p class="quiet">{whyNone(known()) ?? t().mcp.none}</p>}
            >
              <ul class="cards">
                <For each={known().mcp}>
                  {(server) => (
                    <li class="card">
                      <div class="card-head">
                        <span class={`dot ${server.status}`} aria-hidden="true" />
                        <strong>{server.name}</strong>
                        <span class="quiet">{t().mcp.status[server.status]}</span>
                        <Show when={isAdmin() && server.needsSignIn}>
                          <button
                            type="button"
                            class="button small primary"
                            onClick={() => setSigningIn(server.name)}
                          >
                            {t().mcp.signIn}
                          </button>
                        </Show>
                        <Show when={isAdmin()}>
                          <button
                            type="button"
                            class="button small push"
                            onClick={() => restart(server.name)}
                          >
                            {t().mcp.restart}
                          </button>
                        </Show>
                      </div>
                      <Show when={server.problem}>
                        {(problem) => (
                          <p class="problem">
                            <Show when={server.file}>
                              {(file) => <code>{`${file()}:${server.line}`} </code>}
                            </Show>
                            {problem()}
                          </p>
                        )}
                      </Show>
                      <dl class="facts">
                        <Show when={server.server}>
                          {(says) => (
                            <>
                              <dt>{t().mcp.server}</dt>
                              <dd>{says()}</dd>
                            </>
                          )}
                        </Show>
                        <Show when={server.status === "connected"}>
                          <dt>{t().mcp.tools}</dt>
                          <dd>
                            <For each={server.tools} fallback="–">
                              {(tool) => (
                                <code class="tag" title={tool.description}>
                                  {tool.name}
                                </code>
                              )}
                            </For>
                          </dd>
                        </Show>
                      </dl>
                      <Show when={server.stderr !== ""}>
                        <details class="reasoning">
                          <summary>{t().mcp.stderr}</summary>
                          <Output text={server.stderr} label={t().mcp.stderr} />
                        </details>
                      </Show>
                    </li>
                  )}
                </For>
              </ul>
            </Show>
          </>
        )}
      </Loaded>
      <Show when={signingIn()} keyed>
        {(name) => (
          <McpSignInDialog
            server={name}
            directory={chosenDirectory() ?? ""}
            onClose={() => {
              setSigningIn(null);
              void refetch();
            }}
          />
        )}
      </Show>
    </div>
  );
}

/**
 * Shows problems with MCP servers in config files, with file and line. If the last change of the config was refused, it
 * also shows the reason, because the listed servers are then those of the previous config.
 */
function McpNotices(props: { workspace: Workspace }): JSX.Element {
  const isRefused = () => props.workspace.generation !== null && props.workspace.problem !== null;
  const about = () =>
    props.workspace.notices.filter(
      ({ key, file, severity }) =>
        (isRefused() && severity === "error") || (file !== null && /^mcp\b/.test(key ?? "")),
    );
  return (
    <For each={about()}>
      {({ file, line, message }) => (
        <p class="problem">
          <Show when={file}>
            <code>{line === null ? file : `${file}:${line}`} </code>
          </Show>
          {message}
        </p>
      )}
    </For>
  );
}

/** Returns the reasons why no MCP server is listed, if the directory is not loaded. */
function whyNone({ generation, notices }: Workspace): string | null {
  return generation === null ? notices.map(({ message }) => message).join("; ") : null;
}
