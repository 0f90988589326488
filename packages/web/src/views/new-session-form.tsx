import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { knownDirectories } from "../state/known-directories.ts";
import { ModeChoice } from "./composer/mode-choice.tsx";
import { PromptField } from "./composer/prompt-field.tsx";
import { RunChoiceFields } from "./composer/run-choice.tsx";
import { createFileDrop, FilePicker, UploadList } from "./composer/uploads.tsx";
import type { NewSession } from "./new-session.ts";
import { ProjectPicker } from "./project-picker.tsx";

/** The form that starts a session: the first prompt, the directory, and the choices of the composer. */
export function NewSessionForm(props: { session: NewSession }): JSX.Element {
  const session = () => props.session;
  const { uploads } = props.session;
  const drop = createFileDrop(uploads);
  return (
    <form
      class="home-form"
      classList={{ over: drop.isOver() }}
      onSubmit={(event) => {
        event.preventDefault();
        void session().begin();
      }}
      {...drop.handlers}
    >
      <UploadList uploads={uploads} />
      <PromptField
        prompt={session().prompt}
        rows={3}
        label={t().home.prompt}
        placeholder={t().composer.placeholder}
        uploads={uploads}
        onType={() => session().keepDirectory()}
        onEnter={({ target }) => {
          if (target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
        }}
      />
      <div class="home-bar">
        <label class="field inline">
          <span>{t().home.directory}</span>
          <input
            list="directories"
            value={session().directory()}
            required
            spellcheck={false}
            title={t().home.directoryHint}
            onInput={(event) => session().setDirectory(event.currentTarget.value)}
          />
        </label>
        <ProjectPicker onPick={(directory) => session().setDirectory(directory)} />
        <datalist id="directories">
          <For each={knownDirectories()}>{(each) => <option value={each} />}</For>
        </datalist>
      </div>
      <div class="composer-bar">
        <FilePicker onFiles={uploads.add} />
        <ModeChoice
          value={session().mode()}
          onChange={async (mode) => void session().setMode(mode)}
        />
        <RunChoiceFields
          choices={session().choices()}
          agent={session().agent()}
          onAgent={session().setAgent}
          value={session().runChoice()}
          onChange={session().setRunChoice}
        />
        <button
          type="submit"
          class="button primary send"
          disabled={session().isBusy() || uploads.isBusy()}
        >
          {t().home.start}
        </button>
      </div>
      <Show when={drop.isOver()}>
        <div class="drop-hint">{t().composer.drop}</div>
      </Show>
    </form>
  );
}
