import type { InFlight } from "@holdfast/sdk";
import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { StepEntry } from "@holdfast/model/conversation.ts";
import { Icon } from "../../ui/icon.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { amount, money } from "../../ui/numbers.ts";
import { duration } from "../../ui/time.tsx";
import { CallCard } from "./call-card.tsx";
import { ShowWhole } from "./show-whole.tsx";
import { wholeText } from "./whole-text.ts";
import { useSession } from "./session-context.ts";

/** One answer of the model and its calls, also while they are in progress. */
export function StepRow(props: { step: StepEntry }): JSX.Element {
  const open = useSession();
  const live = createMemo((): InFlight | null => {
    const flight = open.inFlight();
    const isThis = flight?.runId === props.step.runId && flight.step === props.step.step;
    return isThis ? flight : null;
  });
  const isGrowing = (): boolean => props.step.answeredAt === null;
  const whole = wholeText(
    () => props.step.cutAt,
    () => props.step.text,
  );
  const text = (): string => (isGrowing() ? (live()?.text ?? "") : whole.text());
  const reasoning = (): string => (isGrowing() ? live()?.reasoning : props.step.reasoning) ?? "";
  const isEnded = createMemo(() => {
    const run = open.conversation().runs.get(props.step.runId);
    return run?.outcome !== undefined && run.outcome !== null;
  });
  const callIds = createMemo(() => props.step.calls.map(({ callId }) => callId));
  return (
    <article class="step" classList={{ summary: props.step.isSummary }}>
      <Show when={props.step.isSummary}>
        <p class="step-label">{t().conversation.summary}</p>
      </Show>
      <Show when={reasoning() !== ""}>
        <details class="reasoning">
          <summary>
            <Icon name="chevronRight" size={12} />
            {isGrowing() && text() === "" ? t().conversation.thinking : t().conversation.reasoning}
          </summary>
          <Markdown text={reasoning()} isGrowing={isGrowing()} />
        </details>
      </Show>
      <Show when={text() !== ""}>
        <Markdown text={text()} isGrowing={isGrowing()} />
      </Show>
      <ShowWhole of={whole} />
      <Show when={isGrowing() && !isEnded() && text() === "" && reasoning() === ""}>
        <p class="pulse" role="status">
          <span />
          <span />
          <span />
          <span class="hidden-text">{t().conversation.thinking}</span>
        </p>
      </Show>
      <For each={callIds()}>
        {(callId) => (
          <Show when={props.step.calls.find((call) => call.callId === callId)}>
            {(call) => (
              <CallCard
                call={call()}
                output={live()?.calls.find((each) => each.callId === callId)?.text ?? null}
              />
            )}
          </Show>
        )}
      </For>
      <Show when={factsOf(props.step) !== ""}>
        <p class="step-facts">{factsOf(props.step)}</p>
      </Show>
      <Show when={props.step.isInterrupted}>
        <p class="interrupted">{t().conversation.interrupted}</p>
      </Show>
    </article>
  );
}

/** Time, tokens and cost of an answer. Empty for a quick answer without tokens, and for steps without text. */
function factsOf({ text, openedAt, answeredAt, usage }: StepEntry): string {
  if (answeredAt === null || text === "") return "";
  const time = openedAt === 0 ? 0 : answeredAt - openedAt;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const cost = usage?.cost ?? 0;
  if (tokens === 0 && time < noteworthy) return "";
  return [
    time === 0 ? "" : duration(time),
    tokens === 0 ? "" : t().conversation.tokens({ count: amount(tokens) }),
    cost === 0 ? "" : money(cost),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Milliseconds from which the time of an answer is shown even if the answer used no tokens. */
const noteworthy = 1_000;
