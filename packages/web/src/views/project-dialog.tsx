import type { FolderList } from "@holdfast/sdk";
import { createMemo, createResource, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { splitPath } from "@holdfast/model/session-tree.ts";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { holdfast } from "../state/client.ts";
import { knownDirectories } from "../state/known-directories.ts";
import { errorText } from "../state/show-error.ts";
import { ChoiceDialog } from "../ui/choice-dialog.tsx";
import type { Choice } from "../ui/choice-dialog.tsx";

const shownRecent = 8;

/** A list of project directories: recent ones, git repositories, and folders to browse. */
export function ProjectDialog(props: {
  onPick: (directory: string) => void;
  onClose: () => void;
}): JSX.Element {
  const [typed, setTyped] = createSignal("");
  /** The folder whose subfolders are listed. Undefined: the folder that the server proposes. */
  const [place, setPlace] = createSignal<string | undefined>();
  const [problem, setProblem] = createSignal<string | null>(null);
  const [folders] = createResource(
    () => ({ directory: place() }),
    async (query): Promise<FolderList | null> => {
      try {
        const listed = await holdfast.workspaces.folders(query);
        setProblem(null);
        return listed;
      } catch (error) {
        setProblem(errorText(error));
        return null;
      }
    },
    // Set an initial value, so that the dialog is shown before the list is loaded.
    { initialValue: null },
  );
  const [repositories] = createResource(
    () => folders.latest?.places,
    (places) => repositoriesIn(places),
    { initialValue: [] },
  );
  const open = (directory: string): void => {
    setTyped("");
    setPlace(directory);
  };
  const pick = (directory: string) => ({ run: () => props.onPick(directory) });
  const choices = createMemo((): readonly Choice[] => {
    const listed = folders.latest ?? null;
    const typedPath = typed().trim();
    if (typedPath.startsWith("/")) {
      const step = {
        label: typedPath,
        detail: t().projects.openPath,
        icon: "chevronRight",
      } as const;
      return [{ ...step, keepsOpen: true, run: () => open(typedPath) }];
    }
    const recent = knownDirectories()
      .slice(0, shownRecent)
      .map((path): Choice => ({
        ...named(path, "wait"),
        group: t().projects.recent,
        ...pick(path),
      }));
    const found = repositories.latest
      .filter((path) => !knownDirectories().includes(path))
      .map((path): Choice => ({
        ...named(path, "branch"),
        group: t().projects.repositories,
        ...pick(path),
      }));
    const group = t().projects.folders({ name: visibleLine(listed?.directory ?? "") });
    const above = listed?.parent ?? null;
    const up: readonly Choice[] =
      above === null
        ? []
        : [
            {
              label: "..",
              detail: visibleLine(above),
              icon: "arrowUp",
              group,
              keepsOpen: true,
              run: () => open(above),
            },
          ];
    const inside = (listed?.items ?? []).map(({ name, path, isRepository }): Choice => ({
      label: visibleLine(name),
      detail: isRepository ? t().projects.repository : "",
      icon: isRepository ? "branch" : "chevronRight",
      group,
      keepsOpen: true,
      run: () => open(path),
    }));
    const isBrowsing = place() !== undefined;
    const all = isBrowsing ? [...up, ...inside] : [...recent, ...found, ...up, ...inside];
    const words = typedPath.toLowerCase();
    return words === ""
      ? all
      : all.filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(words));
  });
  const shownPath = (): string => visibleLine(folders.latest?.directory ?? "");
  let close: HTMLButtonElement | undefined;
  const use = (directory: string): void => {
    close?.closest("dialog")?.close();
    props.onPick(directory);
  };
  return (
    <ChoiceDialog
      label={t().projects.title}
      placeholder={t().projects.placeholder}
      typed={typed()}
      onType={setTyped}
      choices={choices()}
      empty={folders.loading ? t().app.loading : (problem() ?? t().projects.none)}
      onClose={() => props.onClose()}
      foot={
        <div class="palette-foot">
          <Show when={folders.latest?.isComplete === false ? folders.latest : null}>
            {(known) => (
              <p class="quiet" role="status">
                {t().projects.incomplete({ count: known().items.length })}
              </p>
            )}
          </Show>
          <bdi class="path" title={shownPath()}>
            {problem() ?? shownPath()}
          </bdi>
          <button
            ref={close}
            type="button"
            class="button small"
            onClick={(event) => event.currentTarget.closest("dialog")?.close()}
          >
            {t().app.cancel}
          </button>
          <Show when={folders.latest}>
            {(known) => (
              <button
                type="button"
                class="button small primary"
                onClick={() => use(known().directory)}
              >
                {t().projects.use({ name: visibleLine(splitPath(known().directory).folder) })}
              </button>
            )}
          </Show>
        </div>
      }
    />
  );
}

function named(path: string, icon: Choice["icon"]): Pick<Choice, "label" | "detail" | "icon"> {
  return { label: visibleLine(splitPath(path).folder), detail: visibleLine(path), icon };
}

/** Returns the paths of the git repositories below some folders. A folder that cannot be searched is left out. */
async function repositoriesIn(places: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    places.map((directory) =>
      holdfast.workspaces.folders({ directory, repositories: true }).then(
        ({ items }) => items.map(({ path }) => path),
        () => [],
      ),
    ),
  );
  return [...new Set(lists.flat())];
}
