import type { Session } from "@holdfast/sdk";
import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { holdfast } from "../state/client.ts";
import { attempt } from "../state/show-error.ts";
import { shownTitle } from "../state/shown-title.ts";
import { Dialog } from "../ui/dialog.tsx";
import { deleteSession, deleting, renaming, setDeleting, setRenaming } from "./session-actions.tsx";

/** Dialogs to rename and delete a session. */
export function SessionDialogs(): JSX.Element {
  return (
    <>
      <Show when={renaming()} keyed>
        {(session) => <RenameDialog session={session} />}
      </Show>
      <Show when={deleting()} keyed>
        {(session) => <DeleteDialog session={session} />}
      </Show>
    </>
  );
}

function RenameDialog(props: { session: Session }): JSX.Element {
  let input: HTMLInputElement | undefined;
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const title = input?.value.trim() ?? "";
    if (title !== "") void attempt(() => holdfast.session(props.session.sessionId).rename(title));
    setRenaming(null);
  };
  return (
    <Dialog title={t().sessions.renameTitle} onClose={() => setRenaming(null)}>
      <form class="stack" onSubmit={save}>
        <label class="field">
          <span>{t().sessions.titleLabel}</span>
          <input
            ref={input}
            autofocus
            maxlength="200"
            value={props.session.title ?? ""}
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
        <div class="buttons">
          <button type="button" class="button" onClick={() => setRenaming(null)}>
            {t().app.cancel}
          </button>
          <button type="submit" class="button primary">
            {t().app.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function DeleteDialog(props: { session: Session }): JSX.Element {
  return (
    <Dialog title={t().sessions.deleteTitle} onClose={() => setDeleting(null)}>
      <div class="stack">
        <p class="dialog-subject">{shownTitle(props.session)}</p>
        <p>{t().sessions.deleteText}</p>
        <div class="buttons">
          <button type="button" class="button" autofocus onClick={() => setDeleting(null)}>
            {t().app.cancel}
          </button>
          <button
            type="button"
            class="button dangerous"
            onClick={() => {
              void deleteSession(props.session);
              setDeleting(null);
            }}
          >
            {t().sessions.delete}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
