import type { Activity, ActivitySlice, FailedPrompt, Status } from "@holdfast/sdk";
import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sumOf } from "@holdfast/model/metrics.ts";
import type { Sample } from "@holdfast/model/metrics.ts";
import { go } from "../../state/router.ts";
import { serverActivity } from "../../state/server-activity.ts";
import { serverHealth } from "../../state/server-health.ts";
import { Hint } from "../../ui/hint.tsx";
import { numberText } from "../../ui/formats.ts";
import { Ago, duration, fullTime, now } from "../../ui/time.tsx";
import { PageHead } from "../page-head.tsx";
import { setFocusTarget } from "../session/focus-target.ts";
import { titleOf } from "../timeline/bar-text.ts";
import { ColumnChart } from "./column-chart.tsx";
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet exports nothing
import "../../styles/health.css";

const minute = 60_000;
const reaches = { quarter: 15 * minute, hour: 60 * minute, day: 24 * 60 * minute } as const;
type ReachName = keyof typeof reaches;
const reachNames = ["quarter", "hour", "day"] as const;
const slices = 60;
const nothing: Pick<Activity, "current" | "slices" | "inQueue" | "settled" | "failures"> = {
  current: { running: 0, waiting: 0, asks: 0, paused: 0 },
  slices: [],
  inQueue: { median: null, high: null },
  settled: { completed: 0, failed: 0, cancelled: 0 },
  failures: [],
};
type Health = typeof nothing;

/** Health of the server: load, waiting times, failures and cost. */
export function HealthPage(props: { onMenu: () => void }): JSX.Element {
  const [reach, setReach] = createSignal<ReachName>("quarter");
  const activity = serverActivity(() => reaches[reach()], slices);
  const serverState = serverHealth();
  const health = (): Health => activity() ?? nothing;
  return (
    <section class="page health-page">
      <PageHead title={t().health.title} onMenu={props.onMenu}>
        <fieldset class="segments">
          <legend class="hidden-text">{t().health.reach}</legend>
          <For each={reachNames}>
            {(name) => (
              <label class="segment" classList={{ chosen: reach() === name }}>
                <input
                  type="radio"
                  name="reach"
                  checked={reach() === name}
                  onChange={() => setReach(name)}
                />
                {t().health.reaches[name]}
              </label>
            )}
          </For>
        </fieldset>
      </PageHead>
      <div class="page-body" role="region" aria-label={t().health.title} tabindex="0">
        <Tiles health={health()} />
        <Charts health={health()} reach={reaches[reach()]} />
        <Failures failures={health().failures} />
        <Show when={serverState().status?.sandbox.problem}>
          {(problem) => (
            <p class="health-foot no-sandbox">{t().health.noSandbox({ problem: problem() })}</p>
          )}
        </Show>
        <Show when={serverState().status}>
          {(status) => <p class="health-foot">{sinceText(status(), serverState().samples)}</p>}
        </Show>
        <For each={serverState().status?.caps ?? []}>
          {({ cap, spent, limit, resetsAt }) => (
            <p class="health-foot">
              {t().health.caps[cap]({
                spent: limit.cost === null ? number(tokensOf(spent)) : money(spent.cost),
                limit: limit.cost === null ? number(limit.tokens ?? 0) : money(limit.cost),
                until: fullTime(resetsAt),
              })}
            </p>
          )}
        </For>
      </div>
      <Hint />
    </section>
  );
}

function tokensOf(usage: { inputTokens: number; outputTokens: number }): number {
  return usage.inputTokens + usage.outputTokens;
}

function sinceText({ version, startedAt }: Status, samples: readonly Sample[]): string {
  const time = duration(now() - startedAt);
  if (samples.length === 0) return t().health.uptime({ version, time });
  return t().health.since({
    version,
    time,
    accepted: number(sumOf(samples, "holdfast_prompts_accepted_total")),
    settled: number(sumOf(samples, "holdfast_prompts_settled_total")),
    tokens: number(sumOf(samples, "holdfast_tokens_total")),
    cost: money(sumOf(samples, "holdfast_cost_total")),
  });
}

function Tiles(props: { health: Health }): JSX.Element {
  const current = () => props.health.current;
  const time = (value: number | null): string => (value === null ? "–" : duration(value));
  return (
    <dl class="tiles">
      <Tile
        name={t().health.running}
        value={String(current().running)}
        tone={current().running > 0 ? "busy" : "plain"}
      />
      <Tile name={t().health.waiting} value={String(current().waiting)} tone="plain" />
      <Tile
        name={t().health.needsYou}
        value={String(current().asks)}
        tone={current().asks > 0 ? "warn" : "plain"}
      />
      <Tile
        name={t().health.held}
        value={String(current().paused)}
        tone={current().paused > 0 ? "held" : "plain"}
      />
      <Tile name={t().health.medianWait} value={time(props.health.inQueue.median)} tone="plain" />
      <Tile name={t().health.highWait} value={time(props.health.inQueue.high)} tone="plain" />
      <Tile
        name={t().health.failed}
        value={String(props.health.settled.failed)}
        tone={props.health.settled.failed > 0 ? "bad" : "plain"}
      />
    </dl>
  );
}

function Tile(props: { name: string; value: string; tone: string }): JSX.Element {
  return (
    <div class={`tile ${props.tone}`}>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

function Charts(props: { health: Health; reach: number }): JSX.Element {
  const all = () => props.health.slices;
  const times = createMemo(() => all().map(({ from }) => from));
  const read = (value: (slice: ActivitySlice) => number): readonly number[] => all().map(value);
  const sum = (value: (slice: ActivitySlice) => number): number =>
    all().reduce((total, slice) => total + value(slice), 0);
  const perMinute = () => sum(({ settled }) => settled.completed) / (props.reach / minute);
  return (
    <div class="health-charts">
      <ColumnChart
        title={t().health.depth}
        times={times()}
        format={number}
        figure={t().health.most({
          value: number(Math.max(0, ...read(({ waiting }) => waiting))),
        })}
        series={[
          { name: t().health.running, tone: "model", values: read((slice) => slice.running) },
          { name: t().health.waiting, tone: "waiting", values: read((slice) => slice.waiting) },
        ]}
      />
      <ColumnChart
        title={t().health.rate}
        times={times()}
        format={number}
        figure={t().health.perMinute({ value: number(perMinute()) })}
        series={[
          { name: t().outcome.completed, tone: "model", values: read((s) => s.settled.completed) },
          {
            name: t().outcome.cancelled,
            tone: "waiting",
            values: read((s) => s.settled.cancelled),
          },
          { name: t().outcome.failed, tone: "failed", values: read((s) => s.settled.failed) },
        ]}
      />
      <ColumnChart
        title={t().health.inQueue}
        times={times()}
        format={duration}
        figure={t().health.median({ value: duration(props.health.inQueue.median ?? 0) })}
        series={[
          { name: t().health.medianWait, tone: "tool", values: read((s) => s.inQueue.median ?? 0) },
          {
            name: t().health.highWait,
            tone: "soft",
            values: read((s) => (s.inQueue.high ?? 0) - (s.inQueue.median ?? 0)),
          },
        ]}
      />
      <ColumnChart
        title={t().health.tokens}
        times={times()}
        format={number}
        figure={number(sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens))}
        series={[
          { name: t().health.input, tone: "tool", values: read((s) => s.inputTokens) },
          { name: t().health.output, tone: "model", values: read((s) => s.outputTokens) },
        ]}
      />
      <ColumnChart
        title={t().health.cost}
        times={times()}
        format={money}
        figure={money(sum(({ cost }) => cost))}
        series={[{ name: t().health.cost, tone: "asking", values: read((s) => s.cost) }]}
      />
    </div>
  );
}

function Failures(props: { failures: readonly FailedPrompt[] }): JSX.Element {
  const shown = 8;
  const open = ({ sessionId, promptId }: FailedPrompt): void => {
    setFocusTarget({ sessionId, at: { promptId } });
    go({ page: "session", sessionId });
  };
  return (
    <section class="health-card failures">
      <h2>{t().health.failures}</h2>
      <Show
        when={props.failures.length > 0}
        fallback={<p class="quiet">{t().health.noFailures}</p>}
      >
        <ul>
          <For each={props.failures.slice(0, shown)}>
            {(failure) => (
              <li>
                <button type="button" class="failure" onClick={() => open(failure)}>
                  <span class="failure-reason">
                    {failure.outcome.reason === null
                      ? t().outcome.failed
                      : t().reasons[failure.outcome.reason]}
                  </span>
                  <span class="failure-text">{titleOf(failure)}</span>
                  <Ago at={failure.at} />
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </section>
  );
}

function number(value: number): string {
  return numberText(value, {
    notation: "compact",
    maximumFractionDigits: value < 10 ? 2 : 1,
  });
}

function money(value: number): string {
  return numberText(value, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: value > 0 && value < 0.1 ? 4 : 2,
  });
}
