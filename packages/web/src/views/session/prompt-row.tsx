import { createMemo, createSignal, Match, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { PromptView } from "@holdfast/model/conversation.ts";
import { attachmentsPlace } from "@holdfast/model/file-place.ts";
import { countLines, headOf, visibleText } from "@holdfast/model/visible-text.ts";
import { mayDecide, mayPrompt } from "../../state/account.ts";
import { go } from "../../state/router.ts";
import { editAgain, sendAgain } from "../../state/send-again.ts";
import { attempt } from "../../state/show-error.ts";
import { IconButton } from "../../ui/icon.tsx";
import { amount, money } from "../../ui/numbers.ts";
import { clockTime, duration, fullTime } from "../../ui/time.tsx";
import { forkSession, saveReport } from "../session-actions.tsx";
import { AttachmentList } from "./attachment-view.tsx";
import { RevertDialog } from "./revert-dialog.tsx";
import { useSession } from "./session-context.ts";
import { ShowWhole } from "./show-whole.tsx";
import { wholeText } from "./whole-text.ts";
import { whoOf } from "../../state/who.ts";

const folded = { lines: 30, characters: 6_000 };

/** A prompt and its outcome. */
export function PromptRow(props: { prompt: PromptView }): JSX.Element {
  const open = useSession();
  const [isWhole, setWhole] = createSignal(false);
  const [isReverting, setReverting] = createSignal(false);
  /** The run that the prompt started, if it has ended. */
  const endedRun = (): string | null => {
    const { runId, isTakenIn, outcome } = props.prompt;
    return isTakenIn || outcome === null ? null : runId;
  };
  /** The ended run, if it used tools and so may have changed files. */
  const revertible = createMemo(() => {
    const runId = endedRun();
    const run = runId === null ? undefined : open.conversation().runs.get(runId);
    return run?.hasCalls === true ? runId : null;
  });
  /** The requested model, until the run reports the model that answered. */
  const namedModel = createMemo(() => {
    const { model, runId } = props.prompt;
    const run = runId === null ? undefined : open.conversation().runs.get(runId);
    return run === undefined || run.endedAt === null || run.model !== model ? model : null;
  });
  const whole = wholeText(
    () => props.prompt.cutAt,
    () => props.prompt.text ?? "",
  );
  const { text } = whole;
  const shown = (): string => (isWhole() ? text() : headOf(text(), folded));
  return (
    <article class="prompt" classList={{ [outcomeClass(props.prompt)]: true }}>
      <header class="row-head">
        <span class="who">{whoOf(props.prompt.actor)}</span>
        <time title={fullTime(props.prompt.acceptedAt)}>
          {props.prompt.acceptedAt === 0 ? "" : clockTime(props.prompt.acceptedAt)}
        </time>
        <Show when={props.prompt.command}>
          {(command) => <span class="note-detail">/{command()}</span>}
        </Show>
        <Show when={props.prompt.agent}>
          {(agent) => (
            <span class="note-detail">
              {t().composer.agent} {agent()}
            </span>
          )}
        </Show>
        <Show when={namedModel()}>{(model) => <span class="note-detail">{model()}</span>}</Show>
        <PromptNote prompt={props.prompt} />
        <RunFacts prompt={props.prompt} />
        <Show when={mayDecide() && props.prompt.settleSeq !== null}>
          <span class="row-tools">
            <Show when={revertible()}>
              <IconButton
                icon="changes"
                label={t().changes.review}
                onClick={() =>
                  go({ page: "changes", sessionId: open.sessionId, runId: revertible() })
                }
              />
              <IconButton
                icon="undo"
                label={t().conversation.revert}
                onClick={() => setReverting(true)}
              />
            </Show>
            <Show when={endedRun()}>
              {(runId) => (
                <span class="hover-only">
                  <IconButton
                    icon="file"
                    label={t().conversation.reportRun}
                    onClick={() => void saveReport({ sessionId: open.sessionId, runId: runId() })}
                  />
                </span>
              )}
            </Show>
            <IconButton
              icon="fork"
              label={t().conversation.forkHere}
              onClick={() => void forkSession(open.sessionId, props.prompt.settleSeq ?? undefined)}
            />
          </span>
        </Show>
      </header>
      <Show when={text() !== ""}>
        <p class="prompt-text">{visibleText(shown())}</p>
      </Show>
      <Show when={shown().length < text().length} fallback={<ShowWhole of={whole} />}>
        <button type="button" class="link-button" data-unfold onClick={() => setWhole(true)}>
          {t().conversation.showMore({ lines: countLines(text()) - countLines(shown()) })}
        </button>
      </Show>
      <Show when={mayPrompt() && isRepeatable(props.prompt)}>
        <p class="prompt-again">
          <button
            type="button"
            class="link-button"
            onClick={() => void attempt(() => sendAgain(open.sessionId, props.prompt.promptId))}
          >
            {t().conversation.sendAgain}
          </button>
          <button
            type="button"
            class="link-button"
            onClick={() => void attempt(() => editAgain(open.sessionId, props.prompt.promptId))}
          >
            {t().conversation.editAndSend}
          </button>
        </p>
      </Show>
      <AttachmentList
        sessionId={open.sessionId}
        place={attachmentsPlace(props.prompt)}
        files={props.prompt.attachments}
      />
      <Show when={isReverting() ? revertible() : null}>
        {(runId) => (
          <RevertDialog
            sessionId={open.sessionId}
            runId={runId()}
            onClose={() => setReverting(false)}
          />
        )}
      </Show>
    </article>
  );
}

/** Duration and usage of the run that the prompt started. */
function RunFacts(props: { prompt: PromptView }): JSX.Element {
  const open = useSession();
  const facts = createMemo(() => {
    const { runId, isTakenIn } = props.prompt;
    const run = runId === null || isTakenIn ? undefined : open.conversation().runs.get(runId);
    if (run === undefined || run.endedAt === null || run.startedAt === 0) return "";
    const tokens = (run.usage?.inputTokens ?? 0) + (run.usage?.outputTokens ?? 0);
    const cost = run.usage?.cost ?? 0;
    const used = tokens === 0 ? "" : ` · ${t().conversation.tokens({ count: amount(tokens) })}`;
    const paid = cost === 0 ? "" : ` · ${money(cost)}`;
    const model = run.model === null ? "" : ` · ${run.model}`;
    return `${duration(run.endedAt - run.startedAt)}${used}${paid}${model}`;
  });
  return (
    <Show when={facts() !== ""}>
      <span class="run-facts">{facts()}</span>
    </Show>
  );
}

/** Shows the outcome of a prompt, unless the prompt completed normally. */
function PromptNote(props: { prompt: PromptView }): JSX.Element {
  return (
    <Switch>
      <Match when={props.prompt.outcome?.status === "cancelled"}>
        <span class="note cancelled">
          {t().outcome.cancelled}
          <Show when={props.prompt.enteredAt === null}>
            <span class="note-detail"> · {t().conversation.cancelledBeforeStart}</span>
          </Show>
        </span>
      </Match>
      <Match when={props.prompt.outcome?.status === "failed"}>
        <span class="note failed">
          {t().outcome.failed}
          <Show when={props.prompt.outcome?.reason}>
            {(reason) => <span class="note-detail"> · {t().reasons[reason()]}</span>}
          </Show>
        </span>
      </Match>
      <Match when={props.prompt.resultOf !== null}>
        <span class="note">{t().conversation.resultOf}</span>
      </Match>
      <Match when={!props.prompt.reply}>
        <span class="note">{t().conversation.noReply}</span>
      </Match>
      <Match when={props.prompt.isTakenIn}>
        <span class="note steered">{t().conversation.takenIn}</span>
      </Match>
    </Switch>
  );
}

/**
 * Whether the prompt did not complete and this page can send it again. Results of background sessions cannot be sent
 * again.
 */
function isRepeatable({ outcome, acceptSeq, resultOf }: PromptView): boolean {
  const isUndone = outcome?.status === "cancelled" || outcome?.status === "failed";
  return isUndone && acceptSeq !== null && resultOf === null;
}

function outcomeClass({ outcome }: PromptView): string {
  return outcome === null ? "open" : outcome.status;
}
