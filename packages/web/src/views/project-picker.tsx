import { createSignal, lazy, onMount, Show, Suspense } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { mayDecide } from "../state/account.ts";

// Loaded after the button is shown: most visits of the start page do not open the list.
const ProjectDialog = lazy(() =>
  import("./project-dialog.tsx").then(({ ProjectDialog }) => ({ default: ProjectDialog })),
);

/** A button that opens a list of project directories. */
export function ProjectPicker(props: { onPick: (directory: string) => void }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  onMount(() => void ProjectDialog.preload());
  return (
    <Show when={mayDecide()}>
      <button type="button" class="button small" onClick={() => setOpen(true)}>
        {t().projects.browse}
      </button>
      <Suspense>
        <Show when={isOpen()}>
          <ProjectDialog
            onPick={(directory) => props.onPick(directory)}
            onClose={() => setOpen(false)}
          />
        </Show>
      </Suspense>
    </Show>
  );
}
