import type { Delivery } from "@holdfast/sdk";
import { createEffect, createMemo, createSignal, onMount, Show, untrack } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { withComments } from "../../model/comment-text.ts";
import { commentsOf, putBackComments, takeComments } from "../../state/comments.ts";
import { rememberPrompt } from "../../state/drafts.ts";
import { sendPrompt } from "../../state/outbox.ts";
import { takeAddedPrompt } from "../../state/composer-text.ts";
import { agentOf, setSessionAgent, unconfirmedAgent } from "../../state/session-agent.ts";
import { setSessionMode } from "../../state/session-mode.ts";
import { detailOf, sessions } from "../../state/sessions.ts";
import { showToast } from "../../state/toasts.ts";
import { workspaceChoices } from "../../state/workspace.ts";
import { Icon } from "../../ui/icon.tsx";
import { createFileDrop, createUploads, FilePicker, UploadList } from "./uploads.tsx";
import { CommentChips } from "./comment-chips.tsx";
import { createPromptText, PromptField } from "./prompt-field.tsx";
import { parseCommand, sentCommands, withPageCommands } from "./slash-commands.ts";
import { DeliveryChoice, holdHint } from "./delivery-choice.tsx";
import { mayTakeFocus } from "./first-focus.ts";
import { ModeChoice } from "./mode-choice.tsx";
import {
  chosenOptions,
  hostedAgent,
  RunChoiceFields,
  runChoiceOf,
  withOptions,
} from "./run-choice.tsx";

type BusyDelivery = Exclude<Delivery, "ifIdle">;

/** The prompt box. If the session is busy, it explains the effect of each way of sending. */
export function Composer(props: { sessionId: string; onSent: () => void }): JSX.Element {
  const [delivery, setDelivery] = createSignal<BusyDelivery>("queue");
  const uploads = createUploads(props.sessionId);
  const drop = createFileDrop(uploads);
  const detail = () => detailOf(props.sessionId);
  const session = () => detail() ?? sessions[props.sessionId] ?? null;
  const isRunning = (): boolean =>
    (session()?.runId ?? null) !== null || session()?.status === "working";
  const isBusy = (): boolean => isRunning() || (session()?.queued ?? 0) > 0;
  const [runChoice, setRunChoice] = runChoiceOf(props.sessionId);
  const choices = workspaceChoices(createMemo(() => session()?.directory ?? null));
  const agent = () => agentOf(props.sessionId);
  const hosted = () => hostedAgent(choices().workspace, agent());
  const commands = createMemo(() => withPageCommands(sentCommands(choices().workspace, hosted())));
  const prompt = createPromptText({
    draft: () => props.sessionId,
    sessionId: () => props.sessionId,
    directory: () => session()?.directory ?? null,
    commands,
  });
  const { text, write, focus } = prompt;

  createEffect(() => {
    const added = takeAddedPrompt(props.sessionId);
    if (added === null) return;
    untrack(() => {
      prompt.add(added.text);
      uploads.add(added.files);
      setRunChoice((before) => withOptions(hosted(), before, added.options));
    });
    focus();
  });
  onMount(() => {
    if (mayTakeFocus()) focus();
  });

  const isEmpty = (): boolean =>
    text().trim() === "" && uploads.done().length === 0 && commentsOf(props.sessionId).length === 0;
  const send = (as: BusyDelivery): void => {
    const words = text().trim();
    const written = parseCommand(words, commands());
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

  const onEnter = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) send("steer");
    else if (event.altKey) send("interrupt");
    else send(isBusy() ? delivery() : "queue");
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
      <CommentChips sessionId={props.sessionId} />
      <UploadList uploads={uploads} />
      <PromptField
        prompt={prompt}
        rows={1}
        label={t().composer.label}
        placeholder={isRunning() ? t().composer.placeholderBusy : t().composer.placeholder}
        uploads={uploads}
        onEnter={onEnter}
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
