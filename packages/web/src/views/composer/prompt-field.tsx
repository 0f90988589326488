import { createEffect, createMemo, createSignal, on, onCleanup, Show } from "solid-js";
import type { Accessor, JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import {
  draftOf,
  joinTexts,
  keepDraft,
  keepDraftBeside,
  promptHistory,
  registerField,
  rememberPrompt,
} from "../../state/drafts.ts";
import { createListPlace } from "../../ui/list-place.ts";
import type { ListPlace } from "../../ui/list-place.ts";
import { CompletionList, completionId, completionListId } from "./completion-list.tsx";
import { createMentions } from "./mentions.ts";
import type { Mentions } from "./mentions.ts";
import { commandsFor, completionOf } from "./slash-commands.ts";
import type { SlashCommand } from "./slash-commands.ts";
import { pasteFiles } from "./uploads.tsx";
import type { Uploads } from "./uploads.tsx";

/** State of a text field for a prompt: its draft, the completions of `/` and `@`, and the history of sent prompts. */
export interface PromptText {
  readonly text: Accessor<string>;
  /** Replaces the text and stores it as the draft. */
  readonly write: (next: string) => void;
  /** Adds a paragraph to the text. */
  readonly add: (added: string) => void;
  readonly focus: () => void;
  readonly field: FieldControl;
}

/** The part of PromptText that only the component PromptField uses. */
interface FieldControl {
  readonly attach: (area: HTMLTextAreaElement) => void;
  readonly commands: Accessor<readonly SlashCommand[]>;
  readonly commandPlace: ListPlace;
  readonly pickCommand: (place: number) => void;
  readonly mentions: Mentions;
  /** Handles the keys of open lists and of the history. Returns true if the key was used. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

export function createPromptText(options: {
  /** Name under which the draft is stored: the id of a session, or another name before the session exists. */
  draft: Accessor<string>;
  /** The session of the prompt, which is not offered as a mention. Null before the session exists. */
  sessionId: Accessor<string | null>;
  /** Directory whose files can be mentioned. */
  directory: Accessor<string | null>;
  /** All commands that can be typed. */
  commands: Accessor<readonly SlashCommand[]>;
}): PromptText {
  let area: HTMLTextAreaElement | undefined;
  const { draft } = options;
  const [text, setText] = createSignal("");
  const commands = createMemo(() => commandsFor(text(), options.commands()));
  const commandPlace = createListPlace(() => commands().length);
  /** Index in the prompt history; -1 is the current draft. */
  let place = -1;
  let unsent = "";

  createEffect(
    on(draft, (name) => {
      setText(draftOf(name));
      queueMicrotask(fit);
    }),
  );
  createEffect(() => onCleanup(keepDraftBeside(draft(), text)));

  const fit = (): void => {
    if (area === undefined) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`;
  };
  const write = (next: string): void => {
    // A prompt from the history replaces the draft now, so keep the draft in the history.
    if (place >= 0 && unsent.trim() !== "") rememberPrompt(unsent);
    keepDraft(draft(), { before: text(), text: next });
    setText(next);
    place = -1;
    commandPlace.choose(0);
    queueMicrotask(fit);
  };
  const add = (added: string): void => write(joinTexts(text(), added));
  createEffect(() => onCleanup(registerField(draft(), add)));
  const focus = (): void => area?.focus();
  const mentions = createMentions({
    sessionId: options.sessionId,
    directory: options.directory,
    area: () => area,
    write,
  });
  const recall = (step: number): boolean => {
    const history = promptHistory();
    const next = place + step;
    if (next < -1 || next >= history.length) return false;
    if (place === -1) unsent = text();
    place = next;
    setText(next === -1 ? unsent : (history[next] ?? ""));
    queueMicrotask(() => {
      fit();
      area?.setSelectionRange(text().length, text().length);
    });
    return true;
  };
  const pickCommand = (chosen: number): void => {
    const command = commands()[chosen];
    if (command !== undefined) write(`/${command.name} `);
    focus();
  };
  /** Handles keys while the list of commands is open. Enter on a complete name runs the command. */
  const onCommandKey = (key: string): boolean => {
    if (commandPlace.onKey(key)) return true;
    const chosen = commands()[commandPlace.place()];
    if (key === "Escape") write("");
    else if (key !== "Tab" && key !== "Enter") return false;
    else if (key === "Enter" && text() === `/${chosen?.name}`) return false;
    else pickCommand(commandPlace.place());
    return true;
  };
  const onHistoryKey = (event: KeyboardEvent): boolean => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const isFirst = area?.selectionStart === 0 && area.selectionEnd === 0;
    const isBlank = text() === "" || place >= 0;
    if (event.key === "ArrowUp" && (isFirst || isBlank)) return recall(1);
    return event.key === "ArrowDown" && place >= 0 && recall(-1);
  };
  const onKey = (event: KeyboardEvent): boolean =>
    mentions.onKey(event.key) ||
    (commands().length > 0 && onCommandKey(event.key)) ||
    onHistoryKey(event);
  const attach = (given: HTMLTextAreaElement): void => {
    area = given;
    queueMicrotask(fit);
  };
  return {
    text,
    write,
    add,
    focus,
    field: { attach, commands, commandPlace, pickCommand, mentions, onKey },
  };
}

/** The text field of a prompt and its lists of completions. */
export function PromptField(props: {
  prompt: PromptText;
  rows: number;
  label: string;
  placeholder: string;
  uploads: Uploads;
  /** Called for a text that the user types, after the prompt's own `write`. */
  onType?: () => void;
  /** Enter was pressed without Shift, and no list used the key. */
  onEnter: (event: KeyboardEvent) => void;
}): JSX.Element {
  const field = () => props.prompt.field;
  /** Returns the index of the chosen entry in the open list; null if no list is open. */
  const chosenPlace = (): number | null => {
    const { commands, commandPlace, mentions } = field();
    if (commands().length > 0) return commandPlace.place();
    return mentions.items().length > 0 ? mentions.place() : null;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isEnter = event.key === "Enter" && !event.shiftKey;
    const isUsed = field().onKey(event);
    if (isUsed || isEnter) event.preventDefault();
    if (!isUsed && isEnter) props.onEnter(event);
  };
  return (
    <>
      <Show when={field().commands().length > 0}>
        <CompletionList
          label={t().composer.commands}
          items={field().commands().map(completionOf)}
          place={field().commandPlace.place()}
          onPick={field().pickCommand}
        />
      </Show>
      <Show when={field().mentions.items().length > 0}>
        <CompletionList
          label={t().composer.mentions}
          items={field().mentions.items()}
          place={field().mentions.place()}
          onPick={field().mentions.pick}
        />
      </Show>
      <textarea
        ref={(area) => field().attach(area)}
        id="composer"
        rows={props.rows}
        value={props.prompt.text()}
        aria-label={props.label}
        aria-autocomplete="list"
        aria-controls={chosenPlace() === null ? undefined : completionListId}
        aria-activedescendant={
          chosenPlace() === null ? undefined : completionId(chosenPlace() ?? 0)
        }
        placeholder={props.placeholder}
        onInput={(event) => {
          props.prompt.write(event.currentTarget.value);
          props.onType?.();
          field().mentions.look();
        }}
        onClick={() => field().mentions.look()}
        onKeyDown={onKey}
        onPaste={(event) => pasteFiles(event, props.uploads)}
      />
    </>
  );
}
