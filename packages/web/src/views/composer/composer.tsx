import type { Delivery } from "@holdfast/sdk";
import {
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  onMount,
  Show,
  untrack,
} from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { withComments } from "../../model/comment-text.ts";
import { commentsOf, putBackComments, takeComments } from "../../state/comments.ts";
import {
  draftOf,
  keepDraft,
  keepDraftBeside,
  promptHistory,
  rememberPrompt,
} from "../../state/drafts.ts";
import { sendPrompt } from "../../state/outbox.ts";
import { takeComposerText } from "../../state/composer-text.ts";
import { agentOf, setSessionAgent, unconfirmedAgent } from "../../state/session-agent.ts";
import { setSessionMode } from "../../state/session-mode.ts";
import { detailOf, sessions } from "../../state/sessions.ts";
import { showToast } from "../../state/toasts.ts";
import { workspaceChoices } from "../../state/workspace.ts";
import { Icon } from "../../ui/icon.tsx";
import { createListPlace } from "../../ui/list-place.ts";
import { createFileDrop, createUploads, FilePicker, pasteFiles, UploadList } from "./uploads.tsx";
import { CompletionList, completionId, completionListId } from "./completion-list.tsx";
import { CommentChips } from "./comment-chips.tsx";
import { createMentions } from "./mentions.ts";
import { commandsFor, completionOf, parseCommand } from "./slash-commands.ts";
import { DeliveryChoice, holdHint } from "./delivery-choice.tsx";
import { mayTakeFocus } from "./first-focus.ts";
import { ModeChoice } from "./mode-choice.tsx";
import { chosenOptions, hostedAgent, RunChoiceFields, usualChoice } from "./run-choice.tsx";

type BusyDelivery = Exclude<Delivery, "ifIdle">;

/** The prompt box. If the session is busy, it explains the effect of each way of sending. */
export function Composer(props: { sessionId: string; onSent: () => void }): JSX.Element {
  let area: HTMLTextAreaElement | undefined;
  const [text, setText] = createSignal("");
  const [delivery, setDelivery] = createSignal<BusyDelivery>("queue");
  const uploads = createUploads(props.sessionId);
  const drop = createFileDrop(uploads);
  const detail = () => detailOf(props.sessionId);
  const session = () => detail() ?? sessions[props.sessionId] ?? null;
  const isRunning = (): boolean =>
    (session()?.runId ?? null) !== null || session()?.status === "working";
  const isBusy = (): boolean => isRunning() || (session()?.queued ?? 0) > 0;
  const [runChoice, setRunChoice] = createSignal(usualChoice);
  const choices = workspaceChoices(createMemo(() => session()?.directory ?? null));
  const agent = () => agentOf(props.sessionId);
  const hosted = () => hostedAgent(choices().workspace, agent());
  const directoryCommands = () => {
    const { name: source = "", commands: offered = [] } = hosted() ?? {};
    return [
      ...(choices().workspace?.commands ?? []),
      ...offered.map((each) => ({ ...each, source })),
    ];
  };
  const commands = createMemo(() => commandsFor(text(), directoryCommands()));
  const commandPlace = createListPlace(() => commands().length);

  createEffect(
    on(
      () => props.sessionId,
      (sessionId) => {
        setText(draftOf(sessionId));
        queueMicrotask(fit);
      },
    ),
  );
  createEffect(() => onCleanup(keepDraftBeside(props.sessionId, text)));
  createEffect(() => {
    const added = takeComposerText(props.sessionId);
    if (added === null) return;
    untrack(() => write(text().trim() === "" ? added : `${text().trimEnd()}\n\n${added}`));
    area?.focus();
  });
  onMount(() => {
    if (mayTakeFocus()) area?.focus();
  });

  const fit = (): void => {
    if (area === undefined) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`;
  };
  const write = (next: string): void => {
    keepDraft(props.sessionId, { before: text(), text: next });
    setText(next);
    place = -1;
    commandPlace.choose(0);
    queueMicrotask(fit);
  };
  const mentions = createMentions({
    sessionId: () => props.sessionId,
    directory: () => session()?.directory ?? null,
    area: () => area,
    write,
  });
  const isEmpty = (): boolean =>
    text().trim() === "" && uploads.done().length === 0 && commentsOf(props.sessionId).length === 0;
  const send = (as: BusyDelivery): void => {
    const words = text().trim();
    const written = parseCommand(words, directoryCommands());
    const command = written?.command ?? null;
    if (written !== null && command === null) {
      showToast(() => t().composer.unknownCommand(written), { tone: "bad" });
      return;
    }
    if (written !== null && command?.kind === "page") {
      const known = session();
      write("");
      if (known !== null) command.run(known, written.rest);
      return;
    }
    const attachments = uploads.done().map(({ hash }) => hash);
    if (isEmpty() || uploads.isBusy()) return;
    // A slash command is sent without the user's comments on changed lines, so keep these comments for the next prompt.
    const comments = written === null ? takeComments(props.sessionId) : [];
    const taken = uploads.take();
    if (words !== "") rememberPrompt(words);
    write("");
    setDelivery("queue");
    props.onSent();
    const use = written === null ? null : { name: written.name, arguments: written.rest };
    const { sessionId } = props;
    const named = { ...chosenOptions(hosted(), runChoice()), ...unsavedAgent(sessionId) };
    const options = { ...named, ...(use === null ? {} : { command: use }) };
    const whole = withComments(words, comments, t().changes.comments.removedLine);
    void sendPrompt({ sessionId, text: whole, delivery: as, attachments, options }).then(
      (promptId) => {
        if (promptId !== null) return;
        // The server refused the prompt. Restore its text, unless the user has typed something new.
        if (text() === "") write(words);
        uploads.putBack(taken);
        putBackComments(sessionId, comments);
      },
    );
  };

  /** Names the agent in a prompt if the server has not confirmed the choice yet, because the run could start before. */
  const unsavedAgent = (sessionId: string): { agent?: string } => {
    const choice = unconfirmedAgent(sessionId);
    const name = choice === null ? null : (choice.agent ?? choices().workspace?.agent ?? null);
    return name === null ? {} : { agent: name };
  };

  /** Index in the prompt history; -1 is the current draft. */
  let place = -1;
  let unsent = "";
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
  const pickCommand = (place: number): void => {
    const chosen = commands()[place];
    if (chosen !== undefined) write(`/${chosen.name} `);
    area?.focus();
  };
  /** Returns the index of the chosen entry in the open list; null if no list is open. */
  const chosenPlace = (): number | null => {
    if (commands().length > 0) return commandPlace.place();
    return mentions.items().length > 0 ? mentions.place() : null;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (mentions.onKey(event.key) || (commands().length > 0 && onCommandKey(event.key))) {
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) send("steer");
      else if (event.altKey) send("interrupt");
      else send(isBusy() ? delivery() : "queue");
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isFirst = area?.selectionStart === 0 && area.selectionEnd === 0;
    const isBlank = text() === "" || place >= 0;
    if (event.key === "ArrowUp" && (isFirst || isBlank) && recall(1)) event.preventDefault();
    if (event.key === "ArrowDown" && place >= 0 && recall(-1)) event.preventDefault();
  };

  return (
    <form
      class="composer"
      classList={{ over: drop.isOver(), busy: isBusy() }}
      onSubmit={(event) => {
        event.preventDefault();
        send(isBusy() ? delivery() : "queue");
      }}
      {...drop.handlers}
    >
      <Show when={commands().length > 0}>
        <CompletionList
          label={t().composer.commands}
          items={commands().map(completionOf)}
          place={commandPlace.place()}
          onPick={pickCommand}
        />
      </Show>
      <Show when={mentions.items().length > 0}>
        <CompletionList
          label={t().composer.mentions}
          items={mentions.items()}
          place={mentions.place()}
          onPick={mentions.pick}
        />
      </Show>
      <CommentChips sessionId={props.sessionId} />
      <UploadList uploads={uploads} />
      <textarea
        ref={area}
        id="composer"
        rows="1"
        value={text()}
        aria-label={t().composer.label}
        aria-autocomplete="list"
        aria-controls={chosenPlace() === null ? undefined : completionListId}
        aria-activedescendant={
          chosenPlace() === null ? undefined : completionId(chosenPlace() ?? 0)
        }
        placeholder={isRunning() ? t().composer.placeholderBusy : t().composer.placeholder}
        onInput={(event) => {
          write(event.currentTarget.value);
          mentions.look();
        }}
        onClick={() => mentions.look()}
        onKeyDown={onKey}
        onPaste={(event) => pasteFiles(event, uploads)}
      />
      <div class="composer-bar">
        <FilePicker onFiles={uploads.add} />
        <Show when={session()}>
          {(known) => (
            <ModeChoice
              value={known().mode}
              onChange={(mode) => setSessionMode(props.sessionId, mode)}
            />
          )}
        </Show>
        <RunChoiceFields
          choices={choices()}
          agent={agent()}
          onAgent={(chosen) => void setSessionAgent(props.sessionId, chosen)}
          value={runChoice()}
          onChange={setRunChoice}
        />
        <Show
          when={isBusy()}
          fallback={<span class="composer-hint">{holdHint(session()?.holds ?? []) ?? ""}</span>}
        >
          <DeliveryChoice detail={detail()} value={delivery()} onChange={setDelivery} />
        </Show>
        <button type="submit" class="button primary send" disabled={isEmpty() || uploads.isBusy()}>
          <Icon name="send" size={14} />
          <span class="send-word">{isBusy() ? t().composer[delivery()] : t().composer.send}</span>
        </button>
      </div>
      <Show when={drop.isOver()}>
        <div class="drop-hint">{t().composer.drop}</div>
      </Show>
    </form>
  );
}
