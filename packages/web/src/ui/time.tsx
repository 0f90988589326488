import { createSignal } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { serverTime } from "../state/server-clock.ts";
import { dateFormat, dateText, numberText } from "./formats.ts";

const [clock, setClock] = createSignal(Date.now());
setInterval(() => setClock(Date.now()), 1_000);

/** Current time of the server, updated every second. Reactive. */
export const now = (): number => serverTime(clock());

const [coarse, setCoarse] = createSignal(Date.now());
setInterval(() => setCoarse(Date.now()), 30_000);

/** Formats the time since a moment, in one unit. */
function ago(at: number): string {
  const seconds = Math.max(0, (Math.max(serverTime(coarse()), at) - at) / 1000);
  if (seconds < 45) return t().time.now;
  return t().time.ago({ amount: inOneUnit(seconds) });
}

function inOneUnit(seconds: number): string {
  const steps = [
    { unit: "day", size: 86_400 },
    { unit: "hour", size: 3_600 },
    { unit: "minute", size: 60 },
  ] as const;
  const { unit, size } = steps.find((step) => seconds >= step.size) ?? { unit: "minute", size: 60 };
  const amount = Math.max(1, Math.round(seconds / size));
  return numberText(amount, { style: "unit", unit, unitDisplay: "narrow" });
}

/** Formats a duration in short form: 340 ms, 2.1 s, 3 min 20 s. */
export function duration(milliseconds: number): string {
  const { ms, s, min, h } = t().time.units;
  const whole = Math.max(0, milliseconds);
  if (whole < 1_000) return `${Math.round(whole)} ${ms}`;
  if (whole < 60_000) return `${(whole / 1_000).toFixed(whole < 10_000 ? 1 : 0)} ${s}`;
  const seconds = Math.round(whole / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} ${min} ${seconds % 60} ${s}`;
  return `${Math.floor(seconds / 3_600)} ${h} ${Math.floor((seconds % 3_600) / 60)} ${min}`;
}

const clock24 = { hour: "2-digit", hourCycle: "h23" } as const;

export function clockTime(at: number): string {
  return dateText(at, { ...clock24, minute: "2-digit" });
}

export function fullTime(at: number): string {
  const day = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const time = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  return dateText(at, { ...day, ...time });
}

export function dayText(at: number): string {
  return dateText(at, { weekday: "short", day: "numeric", month: "short" });
}

export function timeRange(from: number, to: number): string {
  const format = { ...clock24, minute: "2-digit", second: "2-digit" } as const;
  return dateFormat(format).formatRange(from, Math.max(from, to));
}

export function Ago(props: { at: number }): JSX.Element {
  return (
    <time class="ago" datetime={new Date(props.at).toISOString()} title={fullTime(props.at)}>
      {ago(props.at)}
    </time>
  );
}
