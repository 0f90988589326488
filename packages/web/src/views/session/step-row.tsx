import type { InFlight } from "@holdfast/sdk";
import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { CallView, StepEntry } from "@holdfast/model/conversation.ts";
import { foldCalls, joinedSteps } from "@holdfast/model/fold-calls.ts";
import type { CallRow } from "@holdfast/model/fold-calls.ts";
import { Icon } from "../../ui/icon.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { amount, money } from "../../ui/numbers.ts";
import { duration } from "../../ui/time.tsx";
import { CallCard } from "./call-card.tsx";
import { Looks } from "./looks.tsx";
import { ShowWhole } from "./show-whole.tsx";
import { wholeText } from "./whole-text.ts";
import { useSession } from "./session-context.ts";

/** One answer of the model and its calls. Updates while the answer and the calls are in progress. */
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
  /** Later steps that only read. They are shown as a part of this step. */
  const joined = createMemo(() => joinedSteps(open.conversation(), props.step.id));
  const reasoning = (): string => {
    const own = (isGrowing() ? live()?.reasoning : props.step.reasoning) ?? "";
    const later = joined().map((step) => step.reasoning ?? "");
    return [own, ...later].filter((part) => part !== "").join("\n\n");
  };
  const isEnded = createMemo(() => {
    const run = open.conversation().runs.get(props.step.runId);
    return run?.outcome !== undefined && run.outcome !== null;
  });
  const rows = createMemo(
    () =>
      new Map(
        foldCalls([...props.step.calls, ...joined().flatMap(({ calls }) => calls)]).map((row) => [
          row.kind === "call" ? row.call.callId : `looks ${row.calls[0]?.callId}`,
          row,
        ]),
      ),
  );
  const keys = createMemo(() => [...rows().keys()]);
  return (
    <article
      class="step"
      classList={{ summary: props.step.isSummary }}
      data-joined={joined()
        .map(({ id }) => id)
        .join(" ")}
    >
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
      <For each={keys()}>
        {(key) => (
          <Show when={rows().get(key)}>
            {(row) => {
              const call = () => lone(row());
              return (
                <Show when={call()} fallback={<Looks calls={several(row())} />}>
                  {(known) => (
                    <CallCard
                      call={known()}
                      output={
                        live()?.calls.find(({ callId }) => callId === known().callId)?.text ?? null
                      }
                    />
                  )}
                </Show>
              );
            }}
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

/**
 * Formats the time, tokens and cost of an answer. Empty for a step without text, and for a quick answer without known
 * tokens and cost.
 */
function factsOf({ text, openedAt, answeredAt, usage, context }: StepEntry): string {
  if (answeredAt === null || text === "") return "";
  const time = openedAt === 0 ? 0 : answeredAt - openedAt;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const cost = usage?.cost ?? 0;
  if (tokens === 0 && cost === 0 && context === undefined && time < noteworthy) return "";
  return [
    time === 0 ? "" : duration(time),
    tokens === 0 ? "" : t().conversation.tokens({ count: amount(tokens) }),
    cost === 0 ? "" : money(cost),
    context === undefined ? "" : t().conversation.context({ share: shareOf(context) }),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function shareOf({ used, size }: NonNullable<StepEntry["context"]>): number {
  return Math.min(100, Math.round((100 * used) / size));
}

/**
 * If tokens and cost are zero or unknown, an answer shows its time only if it took at least this many milliseconds.
 */
const noteworthy = 1_000;

function lone(row: CallRow): CallView | null {
  return row.kind === "call" ? row.call : null;
}

function several(row: CallRow): readonly CallView[] {
  return row.kind === "looks" ? row.calls : [];
}
